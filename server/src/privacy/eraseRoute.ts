import { randomUUID } from 'node:crypto'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { Logger } from '../Logger.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser } from '../users/Identity.js'
import { erasePath, personNotFound, readAskedPerson } from './askedPerson.js'
import type { ErasureRounds } from './ErasureRounds.js'

export interface EraseRouteOptions {
  authenticate: Authenticate
  /** Undefined when the log is in PostgreSQL. */
  rounds: ErasureRounds | undefined
  logger: Logger
}

/** `POST /persons/erase` is answered once no file of the service holds an id of the person. */
export const eraseRoute = ({ authenticate, rounds, logger }: EraseRouteOptions): Route => ({
  method: 'POST',
  path: erasePath,
  writeError: lakehouseError,
  async handle({ request, response }) {
    const { user, role } = await authenticate(request, response)
    if (role === 'read') throw readOnlyUser()
    if (rounds === undefined) {
      const message =
        'With a log in PostgreSQL a person cannot be erased yet: each query process has a store of its own. Nothing was erased.'
      throw refuse(501, 'not-with-this-log', message)
    }
    const asked = await readAskedPerson(request)
    const outcome = await rounds.erase({ ...asked, task: randomUUID(), user, askedAtMs: Date.now() })
    if (outcome.state === 'unknown') throw personNotFound(asked)
    if (outcome.state === 'failed') throw refuse(503, 'erase-failed', outcome.reason)
    const { person, erased } = outcome
    logger.info('A person was erased.', { user, environment: asked.environment, person, ...erased })
    return { status: 200, body: { ok: true, person, erased } }
  },
})

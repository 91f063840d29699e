import { randomUUID } from 'node:crypto'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { Logger } from '../Logger.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser } from '../users/Identity.js'
import { personNotFound, readAskedPerson } from './askedPerson.js'
import type { ErasureRounds } from './ErasureRounds.js'

export interface EraseRouteOptions {
  authenticate: Authenticate
  rounds: ErasureRounds
  logger: Logger
}

/** `POST /persons/erase`: answered once no file of the service holds an id of the person. */
export const eraseRoute = ({ authenticate, rounds, logger }: EraseRouteOptions): Route => ({
  method: 'POST',
  path: '/persons/erase',
  writeError: lakehouseError,
  async handle({ request, response }) {
    const { user, role } = await authenticate(request, response)
    if (role === 'read') throw readOnlyUser()
    const asked = await readAskedPerson(request)
    const outcome = await rounds.erase({ ...asked, task: randomUUID(), user, askedAtMs: Date.now() })
    if (outcome.state === 'unknown') throw personNotFound(asked)
    if (outcome.state === 'failed') throw refuse(503, 'erase-failed', outcome.reason)
    const { person, erased } = outcome
    logger.info('A person was erased.', { user, environment: asked.environment, person, ...erased })
    return { status: 200, body: { ok: true, person, erased } }
  },
})

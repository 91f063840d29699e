import { randomUUID } from 'node:crypto'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { Logger } from '../Logger.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser } from '../users/Identity.js'
import {
  type AwaitedStore,
  type ErasureOutcome,
  erasePath,
  personNotFound,
  readAskedPerson,
} from '../payloads/erasure.js'
import type { Erasing, Rounds } from './ErasureRounds.js'

export interface EraseRouteOptions {
  authenticate: Authenticate
  rounds: Pick<Rounds<Erasing>, 'erase'>
  logger: Logger
}

const message =
  'The erase is in the log: each of the awaited processes carries it out before it stores anything that came later, so once it runs again. One that stays away for longer than --log-readers-kept is no longer awaited, and its data folder cannot be used any more.'

const pending = (own: ErasureOutcome | undefined, awaited: readonly AwaitedStore[]) => ({
  status: 202,
  body: {
    ok: true,
    ...(own?.state === 'done' && { person: own.person, erased: own.erased }),
    awaited,
    message,
  },
})

/** `POST /persons/erase` is answered once no file of the service holds an id of the person. */
export const eraseRoute = ({ authenticate, rounds, logger }: EraseRouteOptions): Route => ({
  method: 'POST',
  path: erasePath,
  writeError: lakehouseError,
  async handle({ request, response }) {
    const { user, role } = await authenticate(request, response)
    if (role === 'read') throw readOnlyUser()
    const asked = await readAskedPerson(request)
    const { own, awaited } = await rounds.erase({
      ...asked,
      task: randomUUID(),
      user,
      askedAtMs: Date.now(),
    })
    if (awaited.length > 0 || own === undefined) return pending(own, awaited)
    if (own.state === 'unknown') throw personNotFound(asked)
    if (own.state === 'failed') throw refuse(503, 'erase-failed', own.reason)
    const { person, erased } = own
    logger.info('A person was erased.', { user, environment: asked.environment, person, ...erased })
    return { status: 200, body: { ok: true, person, erased } }
  },
})

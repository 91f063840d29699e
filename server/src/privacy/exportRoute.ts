import { randomUUID } from 'node:crypto'
import { lakehouseError } from '../http/HttpError.js'
import { clientPatienceMs } from '../http/readBody.js'
import type { Route } from '../http/Route.js'
import { sendParts } from '../http/sendParts.js'
import type { Logger } from '../Logger.js'
import { ConcurrencyLimit, type Pausable } from '../store/ConcurrencyLimit.js'
import type { Database } from '../store/Database.js'
import { inTransaction } from '../store/transactions.js'
import { readIdentity } from '../users/Identity.js'
import { exportPath, personNotFound, readAskedPerson } from './askedPerson.js'
import { hashOf, recordDuty } from './duties.js'
import { countRecords, linesOf, type Records } from './exportLines.js'
import { choosePerson, findEvents, type PersonId } from './personRows.js'

export interface ExportRouteOptions {
  database: Database
  /** The key with which ids are hashed for `privacy_log`. */
  secret: Buffer
  logger: Logger
}

const atOnce = 2
const maxWaiting = 20

/** Pauses the permit while a part waits for its client, so that another export may run. */
async function* oneAtATime<T>(parts: AsyncGenerator<T>, turn: Pausable): AsyncGenerator<T> {
  for await (const part of parts) {
    turn.pause()
    yield part
    await turn.resume()
  }
}

/** `POST /persons/export` sends each stored record of a person as one line. A stream that breaks has no last line. */
export const exportRoute = ({ database, secret, logger }: ExportRouteOptions): Route => {
  const limit = new ConcurrencyLimit({ permits: atOnce, maxWaiting })

  const record = async (user: string, asked: PersonId, records: Records) => {
    const { environment } = asked
    const person = hashOf(secret, asked)
    const duty = {
      task: randomUUID(),
      duty: 'export',
      user,
      environment,
      person,
      ...records,
      unlinked: 0,
    } as const
    await database.use((connection) => inTransaction(connection, () => recordDuty(connection, duty)))
    logger.info('A person is being exported.', { user, environment, person, ...records })
    return person
  }

  return {
    method: 'POST',
    path: exportPath,
    writeError: lakehouseError,
    async handle({ request, response }) {
      const { user } = readIdentity(request)
      const asked = await readAskedPerson(request)
      const gone = new AbortController()
      response.once('close', () => gone.abort(new Error('The client went away.')))
      const permit = await limit.acquire({ user, signal: gone.signal })
      try {
        await database.use(async (connection) => {
          // In one transaction all statements see the store of one moment. Closing the connection ends it.
          await connection.run('BEGIN TRANSACTION')
          if (!(await choosePerson(connection, asked))) throw personNotFound(asked)
          await findEvents(connection)
          const records = await countRecords(connection)
          const person = await record(user, asked, records)
          response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
          response.setTimeout(clientPatienceMs, () => response.destroy())
          await sendParts(oneAtATime(linesOf(connection, { ...asked, person, records }), permit), response)
        })
      } finally {
        permit.release()
      }
      return undefined
    },
  }
}

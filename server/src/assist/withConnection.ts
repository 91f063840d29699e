import type { DuckDBConnection } from '@duckdb/node-api'
import { enterPlace, enterSession, placeOfRequest } from '../query/movePlace.js'
import type { Admission } from '../query/createAdmission.js'
import type { Place, Sessions } from '../query/createSessions.js'
import type { Stopper } from '../query/createStopper.js'
import type { Database } from '../store/openDatabase.js'

export interface AssistRequest {
  statement: string
  catalog?: string | null
  schema?: string | null
  session_id?: string | null
  /** Of /explain. */
  include_plan?: boolean | null
  /** Of /autocomplete. */
  max_suggestions?: number | null
}

export interface AssistOptions {
  database: Database
  sessions: Sessions
  admission: Admission
  catalogs: readonly string[]
  home: Place
}

/** One request to look at a statement. */
export interface Look {
  user: string
  body: AssistRequest
  stopper: Stopper
}

/** The fields that validate, explain and autocomplete share. */
export const assistFields = {
  statement: { type: 'string' },
  catalog: { type: 'string', nullable: true },
  schema: { type: 'string', nullable: true },
  session_id: { type: 'string', nullable: true },
}

/**
 * Works on the session's connection, so that its temporary tables are known, or on a fresh one. A
 * session that is not there is not made for a look. The session comes before the place in the
 * queue, as in a query: the other way round, looks that wait for a session could take the places
 * that its query waits for.
 */
export const createWithConnection =
  ({ database, sessions, admission, catalogs, home }: AssistOptions) =>
  async <T>(
    { user, body, stopper }: Look,
    work: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> => {
    const admitted = async <R>(run: () => Promise<R>): Promise<R> => {
      const ticket = await admission.enter(stopper.signal)
      try {
        return await run()
      } finally {
        ticket.release()
      }
    }
    const look = async (connection: DuckDBConnection, enter: Promise<unknown>): Promise<T> => {
      const release = stopper.guard(connection)
      try {
        await enter
        return await work(connection)
      } finally {
        release()
      }
    }

    const session = body.session_id ? sessions.find(user, body.session_id) : undefined
    if (session === undefined) {
      return admitted(async () => {
        const connection = await database.connect()
        try {
          return await look(connection, enterPlace(connection, placeOfRequest(body, home, catalogs)))
        } finally {
          connection.closeSync()
        }
      })
    }
    let started = false
    const inTurn = session.exclusively(() => {
      started = true
      stopper.signal.throwIfAborted()
      return admitted(() => look(session.connection, enterSession(session, body, catalogs, home)))
    })
    // One that still waits for the session is over as soon as it is stopped.
    const stop = new Promise<never>((_, reject) => {
      stopper.signal.addEventListener('abort', () => {
        if (!started) reject(stopper.signal.reason as Error)
      })
    })
    return Promise.race([inTurn, stop])
  }

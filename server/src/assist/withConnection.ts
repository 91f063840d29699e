import type { DuckDBConnection } from '@duckdb/node-api'
import { enterPlace, enterSession, placeOfRequest } from '../query/movePlace.js'
import type { Place, Sessions } from '../query/createSessions.js'
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
  catalogs: readonly string[]
  home: Place
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
 * session that is not there is not made for a look.
 */
export const createWithConnection =
  ({ database, sessions, catalogs, home }: AssistOptions) =>
  async <T>(
    user: string,
    request: AssistRequest,
    work: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> => {
    const session = request.session_id ? sessions.find(user, request.session_id) : undefined
    if (session !== undefined) {
      return session.exclusively(async () => {
        await enterSession(session, request, catalogs, home)
        return work(session.connection)
      })
    }
    const connection = await database.connect()
    try {
      await enterPlace(connection, placeOfRequest(request, home, catalogs))
      return await work(connection)
    } finally {
      connection.closeSync()
    }
  }

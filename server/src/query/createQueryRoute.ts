import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from '@duckdb/node-api'
import { createBodyReader } from '../http/createBodyReader.js'
import { Refusal } from '../http/Refusal.js'
import type { Exchange, Route } from '../http/Route.js'
import { bindTransaction } from '../store/lakehouseSchema.js'
import type { Database } from '../store/openDatabase.js'
import { querySchema, type QueryRequest } from './querySchema.js'
import { changing, reading, statementName } from './statementTypes.js'
import { toJson } from './toJson.js'
import { typeName } from './typeName.js'
import { writeLines } from './writeLines.js'

export interface QueryRouteOptions {
  authorize(request: IncomingMessage): string
  database: Database
  catalog: string
  maxBodyBytes: number
}

const invalidSql = (message: string) => new Refusal(400, { error: 'invalid-statement', message })
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const prepare = async (connection: DuckDBConnection, statement: string): Promise<DuckDBPreparedStatement> => {
  if (statement.trim() === '') throw invalidSql('The statement is empty.')
  let prepared: DuckDBPreparedStatement
  try {
    const extracted = await connection.extractStatements(statement)
    if (extracted.count !== 1) throw invalidSql(`Send one statement, not ${extracted.count}.`)
    prepared = await extracted.prepare(0)
  } catch (error) {
    throw error instanceof Refusal ? error : invalidSql(messageOf(error))
  }
  const type = prepared.statementType
  if (!reading.has(type) && !changing.has(type)) {
    throw invalidSql(`A ${statementName(type)} statement is not allowed here.`)
  }
  return prepared
}

/** `POST /query`: a metadata line, a columns line, then one line a row. */
export const createQueryRoute = (options: QueryRouteOptions): Route => {
  const { authorize, database, catalog, maxBodyBytes } = options
  const read = createBodyReader<QueryRequest>(querySchema, maxBodyBytes)

  const write = async ({ response }: Exchange, head: string, result: DuckDBResult) => {
    const types = result.columnTypes()
    const columns = result.columnNames().map((name, at) => ({ name, type: typeName(types[at]!) }))
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    if (!(await writeLines(response, `${head}\n${JSON.stringify(columns)}\n`))) return
    for (;;) {
      const chunk = await result.fetchChunk()
      if (chunk === null || chunk.rowCount === 0) break
      const lines = chunk
        .getRows()
        .map((row) => `${JSON.stringify(row.map((value, at) => toJson(value, types[at])))}\n`)
      if (!(await writeLines(response, lines.join('')))) return
    }
    response.end()
  }

  const run = async (exchange: Exchange, connection: DuckDBConnection, body: QueryRequest) => {
    const startedMs = performance.now()
    const prepared = await prepare(connection, body.statement)
    const bound = changing.has(prepared.statementType)
    let result: DuckDBResult
    try {
      if (bound) {
        await connection.run('BEGIN TRANSACTION')
        await connection.run(bindTransaction(catalog))
        result = await prepared.run()
        await connection.run('COMMIT')
      } else {
        result = await prepared.stream()
      }
    } catch (error) {
      throw invalidSql(messageOf(error))
    }
    const head = {
      statement: body.statement,
      rows_limit: body.limit ?? null,
      rows_offset: body.offset ?? null,
      init_time_ms: Math.round(performance.now() - startedMs),
      connections_errors: {},
      session_id: body.session_id ?? randomUUID(),
      query_id: body.query_id ?? randomUUID(),
      worker_slug: 'local',
    }
    await write(exchange, JSON.stringify(head), result)
  }

  return {
    method: 'POST',
    path: '/query',
    describeFailure: (message) => ({ error: 'internal', message }),
    async handle(exchange) {
      authorize(exchange.request)
      const body = await read(exchange.request)
      const connection = await database.connect()
      try {
        await connection.run(`SET search_path = '${catalog}.main,analytics.main'`)
        await run(exchange, connection, body)
      } finally {
        connection.closeSync()
      }
      return undefined
    },
  }
}

import type { DuckDBConnection } from '@duckdb/node-api'
import { prepareOne } from './prepareOne.js'
import { messageOfSecondLine } from './refuseQuery.js'

const withinMs = 10_000

/** A stream that breaks does not say why; running the statement again without its rows does. */
export const explainFailure = async (connection: DuckDBConnection, text: string): Promise<string> => {
  const timer = setTimeout(() => connection.interrupt(), withinMs)
  try {
    const explain = await prepareOne(connection, `EXPLAIN ANALYZE\n${text}`)
    await explain.run()
  } catch (error) {
    const message = messageOfSecondLine(error)
    if (!/^INTERRUPT/i.test(message)) return message
  } finally {
    clearTimeout(timer)
  }
  return 'The query failed before its last row.'
}

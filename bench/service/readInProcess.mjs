// The control: the same rows as JSON made inside DuckDB, joined to lines, and dropped.
import { DuckDBInstance } from '@duckdb/node-api'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
const sql = `SELECT json_array(*COLUMNS(*))::VARCHAR FROM (${process.argv[2]})`
const run = async () => {
  const began = performance.now()
  const result = await connection.stream(sql)
  let rows = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    rows += Buffer.from(chunk.getColumnValues(0).join('\n')).length > 0 ? chunk.rowCount : 0
  }
  return rows / ((performance.now() - began) / 1000)
}
await run()
console.log(await run())
process.exit()

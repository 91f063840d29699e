// The controls: the same rows as JSON made inside DuckDB, read chunk by chunk as bytes, and dropped;
// text by text as DuckDB's library gives them, and in the way of the service.
import { DuckDBInstance } from '@duckdb/node-api'
import { readText } from '../../server/dist/sql/rows/streamRows.js'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
const sql = `SELECT json_array(*COLUMNS(*))::VARCHAR FROM (${process.argv[2]})`
const ways = {
  library: (chunk) => Buffer.from(chunk.getColumnValues(0).join('\n')),
  service: (chunk) => readText(chunk, chunk.rowCount),
}
const run = async (read) => {
  const began = performance.now()
  const result = await connection.stream(sql)
  let rows = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    rows += read(chunk).length > 0 ? chunk.rowCount : 0
  }
  return rows / ((performance.now() - began) / 1000)
}
const perSecond = {}
for (const [name, read] of Object.entries(ways)) {
  await run(read)
  perSecond[name] = await run(read)
}
console.log(JSON.stringify(perSecond))
process.exit()

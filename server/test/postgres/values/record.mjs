// Writes anew what a real PostgreSQL answers to the cases beside this file, which the tests compare with:
//   PGHOST=127.0.0.1 PGUSER=postgres PGTZ=UTC node server/test/postgres/values/record.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { askBinary, askText } from './ask.mjs'

const at = (/** @type {string} */ name) => new URL(name, import.meta.url)
/** @type {(name: string) => Promise<void>} */
const record = async (name) => {
  const client = new pg.Client()
  await client.connect()
  await client.query('DROP TABLE IF EXISTS sample')
  for (const statement of readFileSync(at('sample.sql'), 'utf8').trim().split(';\n'))
    await client.query(statement)
  const cases = JSON.parse(readFileSync(at(name), 'utf8'))
  const lines = []
  for (const { sql, values } of cases) {
    const text = await askText(client, sql, values)
    const binary =
      text.error === undefined && values !== undefined ? await askBinary(client, sql, values) : undefined
    lines.push(
      JSON.stringify({ sql, ...(values && { values }), ...text, ...(binary && { hex: binary.hex }) }),
    )
  }
  writeFileSync(at(name), `[\n${lines.join(',\n')}\n]\n`)
  await client.end()
}

for (const name of process.argv.slice(2)) await record(name)

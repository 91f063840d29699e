// Writes anew what a real PostgreSQL answers to the cases beside this file, which the tests compare with:
//   PGHOST=127.0.0.1 PGUSER=postgres PGTZ=UTC node server/test/postgres/values/record.mjs parameters.jsonl values.jsonl
import { readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { askBinary, askText } from './ask.mjs'

const at = (/** @type {string} */ name) => new URL(name, import.meta.url)

const client = new pg.Client()
await client.connect()
await client.query('DROP TABLE IF EXISTS sample')
for (const statement of readFileSync(at('sample.sql'), 'utf8').trim().split(';\n'))
  await client.query(statement)
for (const name of process.argv.slice(2)) {
  const lines = []
  for (const line of readFileSync(at(name), 'utf8').trim().split('\n')) {
    const { sql, values } = JSON.parse(line)
    const text = await askText(client, sql, values)
    const isBinary = text.error === undefined && values !== undefined
    const { hex } = isBinary ? await askBinary(client, sql, values) : { hex: undefined }
    lines.push(JSON.stringify({ sql, values, ...text, hex }))
  }
  writeFileSync(at(name), `${lines.join('\n')}\n`)
}
await client.end()

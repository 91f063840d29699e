import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useService } from '../../fixtures/useService.js'
import { type Asked, askBinary, askText } from './ask.mjs'

/* Parameters of each type: types and values as PostgreSQL 15 has them, which `record.mjs` has written down. */

interface Case extends Omit<Asked, 'error'> {
  /** The code of the error, where it is one. */
  error?: string
  sql: string
  values: (string | null)[]
}
const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const cases = JSON.parse(read('parameters.json')) as Case[]

const service = useService({ postgresPort: 0 })
let client: pg.Client
beforeAll(async () => {
  for (const statement of read('sample.sql').split(';\n')) await service.query(statement)
  const known = { user: 'ada', password: 'lovelace', database: 'lakehouse' }
  client = new pg.Client({ host: '127.0.0.1', port: service.postgresPort, ...known })
  await client.connect()
})
afterAll(() => client.end())

const numeric = 1700

/** A numeric without the zeros at its end, of which DuckDB has others. */
const trim = (text: string | null, oid: number | undefined) =>
  oid === numeric && text !== null ? text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : text

/** Weight, sign and groups of a binary numeric, without the zeros at its end. */
const trimHex = (hex: string | null, oid: number | undefined) =>
  oid === numeric && hex !== null ? `${hex.slice(4, 12)} ${hex.slice(16).replace(/(?:0000)+$/, '')}` : hex

it.each(cases.filter(({ error }) => error !== undefined))(
  '$sql $values is refused',
  async ({ sql, values, error }) => {
    expect(await askText(client, sql, values)).toEqual({ error })
    expect(await askBinary(client, sql, values)).toEqual({ error })
  },
)

describe.each(cases.filter(({ error }) => error === undefined))(
  '$sql $values',
  ({ sql, values, types, row, hex }) => {
    it('is told and sent as a text', async () => {
      const found = await askText(client, sql, values)
      expect(found.row?.map((text, at) => trim(text, types[at]))).toEqual(
        row.map((text, at) => trim(text, types[at])),
      )
      if (!row.includes(null)) expect(found.types).toEqual(types)
    })
    it('has the type that was told before the values were known', async () => {
      const found = await askBinary(client, sql, values)
      expect({ ...found, hex: found.hex?.map((each, at) => trimHex(each, types[at])) }).toEqual({
        types,
        hex: hex.map((each, at) => trimHex(each, types[at])),
      })
    })
  },
)

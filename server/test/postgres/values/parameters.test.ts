import { describe, expect, it } from 'vitest'
import { askBinary, askText } from './ask.mjs'
import { readCases, trim, useSample } from './cases.js'

/* Parameters of each type, and what people write every day, with the names, types and values that PostgreSQL gives. */

const cases = [...readCases('parameters.jsonl'), ...readCases('everyday.jsonl')]
const opened = useSample()

const numeric = 1700
const [json, jsonb] = [114, 3802]

/** Without the zeros that a numeric has at its end, and the spaces that jsonb has. */
const plain = (text: string | null, oid: number | undefined): string | null =>
  text !== null && (oid === json || oid === jsonb) ? JSON.stringify(JSON.parse(text)) : trim(text)

/** Weight, sign and groups of a binary numeric, without the zeros at its end; JSON as a text. */
const plainHex = (hex: string | null, oid: number | undefined) => {
  if (hex === null) return null
  if (oid === numeric) return `${hex.slice(4, 12)} ${hex.slice(16).replace(/(?:0000)+$/, '')}`
  const text = () => Buffer.from(oid === jsonb ? hex.slice(2) : hex, 'hex').toString()
  return oid === json || oid === jsonb ? plain(text(), oid) : hex
}

it.each(cases.filter(({ error }) => error !== undefined))(
  '$sql $values is refused',
  async ({ sql, values, error }) => {
    expect(await askText(opened.client, sql, values)).toMatchObject({ error })
    expect(await askBinary(opened.client, sql, values)).toEqual({ error })
  },
)

describe.each(cases.filter(({ error }) => error === undefined))(
  '$sql $values',
  ({ sql, values, names, types, row, count, hex }) => {
    it('is told and sent as a text', async () => {
      const found = await askText(opened.client, sql, values)
      const plainRow = (of: typeof row | undefined) => of?.map((each, at) => plain(each, types[at]))
      expect({ names: found.names, row: plainRow(found.row), count: found.count }).toEqual({
        names,
        row: plainRow(row),
        count,
      })
      if (!row.includes(null)) expect(found.types).toEqual(types)
    })
    it('has the type that was told before the values were known', async () => {
      const found = await askBinary(opened.client, sql, values)
      expect({ ...found, hex: found.hex?.map((each, at) => plainHex(each, types[at])) }).toEqual({
        types,
        hex: hex?.map((each, at) => plainHex(each, types[at])),
      })
    })
  },
)

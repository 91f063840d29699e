import { describe, expect, it } from 'vitest'
import { askBinary, askText } from './ask.mjs'
import { readCases, trim, useSample } from './cases.js'

/* Parameters of each type, which have the types and values that PostgreSQL gives them. */

const cases = readCases('parameters.jsonl')
const opened = useSample()

const numeric = 1700

/** Weight, sign and groups of a binary numeric, without the zeros at its end. */
const trimHex = (hex: string | null, oid: number | undefined) =>
  oid === numeric && hex !== null ? `${hex.slice(4, 12)} ${hex.slice(16).replace(/(?:0000)+$/, '')}` : hex

it.each(cases.filter(({ error }) => error !== undefined))(
  '$sql $values is refused',
  async ({ sql, values, error }) => {
    expect(await askText(opened.client, sql, values)).toEqual({ error })
    expect(await askBinary(opened.client, sql, values)).toEqual({ error })
  },
)

describe.each(cases.filter(({ error }) => error === undefined))(
  '$sql $values',
  ({ sql, values, types, row, hex }) => {
    it('is told and sent as a text', async () => {
      const found = await askText(opened.client, sql, values)
      expect(found.row?.map(trim)).toEqual(row.map(trim))
      if (!row.includes(null)) expect(found.types).toEqual(types)
    })
    it('has the type that was told before the values were known', async () => {
      const found = await askBinary(opened.client, sql, values)
      expect({ ...found, hex: found.hex?.map((each, at) => trimHex(each, types[at])) }).toEqual({
        types,
        hex: hex.map((each, at) => trimHex(each, types[at])),
      })
    })
  },
)

import { expect, it } from 'vitest'
import { askText } from './ask.mjs'
import { readCases, trim, useSample } from './cases.js'

/* Operators, functions and texts, which have the values that PostgreSQL gives them. */

const opened = useSample()

it.each(readCases('values.jsonl'))('$sql', async ({ sql, row, error }) => {
  const found = await askText(opened.client, sql)
  expect({ row: found.row?.map(trim), error: found.error }).toEqual({ row: row?.map(trim), error })
})

it.each(readCases('errors.jsonl'))('$sql is refused, and where', async ({ sql, error, position }) => {
  expect(await askText(opened.client, sql)).toEqual({ error, position })
})

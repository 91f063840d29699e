import { describe, expect, it } from 'vitest'
import { batchesOf, type LogEntry, piecesOf, restOf, rowsOf, startOf } from '../../src/wal/segment.js'

const entry = (first: number, ...rows: string[]): LogEntry => ({
  kind: 'track',
  first,
  count: rows.length,
  receivedAtMs: 0,
  body: Buffer.from(JSON.stringify(rows)),
})
const told = ({ first, count, body, request, isAlone }: LogEntry) => ({
  first,
  count,
  rows: JSON.parse(body.toString()) as unknown,
  ...(request === undefined ? {} : { request }),
  ...(isAlone === undefined ? {} : { isAlone }),
})
const request = { first: 11, last: 14 }
const four = entry(11, 'a', 'b', 'c', 'd')

describe('of an entry', () => {
  it('the rest after a sequence is one entry', () => {
    expect(restOf(four, 10).map(told)).toEqual([{ first: 11, count: 4, rows: ['a', 'b', 'c', 'd'] }])
    expect(restOf(four, 12).map(told)).toEqual([{ first: 13, count: 2, rows: ['c', 'd'], request }])
    expect(restOf(four, 14)).toEqual([])
  })

  it('the start is one entry', () => {
    expect(startOf(four, 3).map(told)).toEqual([{ first: 11, count: 3, rows: ['a', 'b', 'c'], request }])
    expect(startOf(four, 0)).toEqual([])
  })

  it('a row that is tried by itself is told apart from a piece of one row', () => {
    expect(rowsOf(four).map(told)[3]).toEqual({ first: 14, count: 1, rows: ['d'], request, isAlone: true })
    expect(piecesOf(four, 1).map(told)[3]).toEqual({ first: 14, count: 1, rows: ['d'], request })
  })

  it('pieces hold what fits, and a row at least', () => {
    const rows = piecesOf(entry(1, 'x'.repeat(50), 'b', 'c', 'd', 'e'), 10).map(told)
    expect(rows.map((each) => (each.rows as string[]).join('').slice(-3))).toEqual(['xxx', 'bcd', 'e'])
    expect(piecesOf(four, 100)).toEqual([four])
  })
})

it('batches are as large as they may be at the time', () => {
  let most = 30
  const sizes: number[] = []
  for (const batch of batchesOf([four, entry(15, 'e'), entry(16, 'f'), entry(17, 'g')], () => most)) {
    sizes.push(batch.reduce((sum, { count }) => sum + count, 0))
    most = 1
  }
  expect(sizes).toEqual([6, 1])
})

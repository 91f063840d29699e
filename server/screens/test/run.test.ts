import { describe, expect, it } from 'vitest'
import { Problem } from '../src/data/Problem'
import { newUuid } from '../src/data/query'
import { describeRun } from '../src/pages/sql/Result'
import { countStatement, type Run } from '../src/pages/sql/useRun'

const run = (count: number, more: Partial<Run>): Run => ({
  id: '1',
  statement: '',
  isRunning: false,
  since: 0,
  tookMs: 1234,
  answer: {
    queryId: '',
    sessionId: '',
    statement: '',
    columns: [],
    rows: Array.from({ length: count }, () => []),
  },
  ...more,
})

describe('a run of a statement', () => {
  it('says how many rows there are and how many of them are shown', () => {
    expect(describeRun(run(1, {}))).toBe('1 row in 1.23 s')
    expect(describeRun(run(7, { isRunning: true }))).toBe('7 rows so far …')
    const problem = new Problem('cancelled', 'The query was cancelled.')
    expect(describeRun(run(7, { problem }))).toBe('7 rows came before it stopped')
    expect(describeRun(run(5000, { hasMore: true }))).toBe(
      'The first 5,000 of more than 5,000 rows, in 1.23 s',
    )
    expect(describeRun(run(5000, { hasMore: true, total: 20_000 }))).toBe(
      'The first 5,000 of 20,000 rows, in 1.23 s',
    )
  })

  it('counts the rows of a statement that ends with a comment or a semicolon', () => {
    expect(countStatement('SELECT 1 -- one')).toBe('SELECT count(*) FROM (\nSELECT 1 -- one\n)')
    expect(countStatement('SELECT 1;\n')).toBe('SELECT count(*) FROM (\nSELECT 1\n)')
  })

  it('has an id of its own, also where crypto.randomUUID is missing', () => {
    const ids = Array.from({ length: 100 }, newUuid)
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(new Set(ids).size).toBe(100)
  })
})

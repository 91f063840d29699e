import { describe, expect, it, vi } from 'vitest'
import type { Answer, Json } from '../src/data/query'
import { pickColumns, toChart } from '../src/pages/sql/toChart'

const answer = (types: Record<string, string>, rows: Json[][]): Answer => ({
  queryId: '',
  sessionId: '',
  statement: '',
  columns: Object.entries(types).map(([name, type]) => ({ name, type })),
  rows,
})
const none = { x: null, y: null }

describe('pickColumns', () => {
  const { columns } = answer({ n: 'BIGINT', day: 'DATE', m: 'DECIMAL(9,2)' }, [])

  it('draws the first numbers by the first column without', () => {
    expect(pickColumns(columns, none)).toEqual({ x: 1, y: 0 })
  })

  it('draws what is asked for, where it can be drawn', () => {
    expect(pickColumns(columns, { x: 'n', y: 'm' })).toEqual({ x: 0, y: 2 })
    expect(pickColumns(columns, { x: 'gone', y: 'day' })).toEqual({ x: 1, y: 0 })
  })

  it('says that there is nothing to draw', () => {
    expect(pickColumns([{ name: 'n', type: 'INTEGER' }], none).y).toBe(-1)
  })
})

describe('toChart', () => {
  it('puts times into their order', () => {
    const line = toChart(
      answer({ at: 'TIMESTAMP WITH TIME ZONE', n: 'BIGINT' }, [
        ['2026-03-29T03:30:00+02:00', 2],
        ['2026-03-29T00:30:00+00:00', 1],
        [null, 9],
      ]),
      { x: 0, y: 1 },
    )
    expect(line).toMatchObject({ y: [1, 2], isTime: true, isCount: true })
    expect((line.x[1] ?? 0) - (line.x[0] ?? 0)).toBe(3600)
  })

  it('takes a day by the clock of the axis', () => {
    vi.stubEnv('TZ', 'America/New_York')
    const line = toChart(answer({ day: 'DATE', n: 'BIGINT' }, [['2026-03-29', 1]]), { x: 0, y: 1 })
    expect(line.x).toEqual([Date.UTC(2026, 2, 29, 4) / 1000])
    vi.unstubAllEnvs()
  })

  it('keeps the order of names, NULL among them, and leaves gaps where there is no number', () => {
    const line = toChart(
      answer({ name: 'VARCHAR', n: 'DOUBLE' }, [
        ['b', 1.5],
        [null, null],
      ]),
      { x: 0, y: 1 },
    )
    expect(line).toMatchObject({ x: [0, 1], y: [1.5, null], names: ['b', 'NULL'], isCount: false })
  })

  it('cuts what would be more names than bars can be told apart', () => {
    const rows = Array.from({ length: 300 }, (_, at): Json[] => [`name ${at}`, at])
    const line = toChart(answer({ name: 'VARCHAR', n: 'BIGINT' }, rows), { x: 0, y: 1 })
    expect([line.x.length, line.isCut]).toEqual([200, true])
  })
})

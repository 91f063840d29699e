import { describe, expect, it } from 'vitest'
import { askRetention, readRetention } from '../src/pages/retention/retentionSearch'
import { averages, toCohorts } from '../src/pages/retention/toCohorts'
import { readTimeRange } from '../src/address/timeRange'

const range = readTimeRange(new URLSearchParams(), new Date(2026, 2, 29, 12))

describe('the question of retention', () => {
  it('is of any event where none is named', () => {
    const scope = { environment: 'production', bots: true, anonymous: false, range }
    const ask = (search: string) => askRetention(readRetention(new URLSearchParams(search)), scope)
    const any = ask('unit=year')
    expect(any).toMatchObject({ unit: 'week', everybody: false, bots: true })
    expect(any['first_event']).toBeUndefined()
    expect(ask('first=a&again=%2Fmaps&unit=day&everybody=1')).toMatchObject({
      ...{ first_event: 'a', return_event: '/maps', unit: 'day', everybody: true },
    })
  })
})

describe('toCohorts', () => {
  const rows = [
    ['2026-03-16', 4, 0, 2, 0.5],
    ['2026-03-16', 4, 1, 3, 0.75],
    ['2026-03-23', 10, 0, 1, 0.1],
  ]

  it('knows which periods go on', () => {
    const cohorts = toCohorts(rows, 'week', new Date(2026, 2, 29, 12))
    expect(cohorts.map(({ day, size }) => [day, size])).toEqual([
      ['2026-03-16', 4],
      ['2026-03-23', 10],
    ])
    expect(cohorts.map(({ cells }) => cells.map(({ isOpen }) => isOpen))).toEqual([[false, true], [true]])
    const ended = toCohorts(rows, 'week', new Date(2026, 2, 30))
    expect(ended[1]?.cells[0]?.isOpen).toBe(false)
  })

  it('ends months by the calendar', () => {
    const january = [['2026-01-01', 1, 1, 1, 1]]
    expect(toCohorts(january, 'month', new Date(2026, 1, 28))[0]?.cells[1]?.isOpen).toBe(true)
    expect(toCohorts(january, 'month', new Date(2026, 2, 1))[0]?.cells[1]?.isOpen).toBe(false)
  })

  it('leaves cohorts of one out of the averages', () => {
    const alone = [...rows, ['2026-03-09', 1, 0, 1, 1], ['2026-03-09', 1, 1, 1, 1]]
    const means = averages(toCohorts(alone, 'week', new Date(2026, 2, 30)))
    expect(means).toEqual([3 / 14, 0.75])
  })

  it('averages by people, without the periods that go on', () => {
    expect(averages(toCohorts(rows, 'week', new Date(2026, 2, 29, 12)))).toEqual([0.5, null])
    expect(averages(toCohorts(rows, 'week', new Date(2026, 2, 30)))).toEqual([3 / 14, 0.75])
  })
})

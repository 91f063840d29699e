import { describe, expect, it } from 'vitest'
import { describeQuestion } from '../src/pages/explore/Explore'
import { askExplore, readQuestion } from '../src/pages/explore/exploreSearch'
import { toLines } from '../src/parts/toLines'
import { readTimeRange } from '../src/address/timeRange'

const now = new Date('2026-07-10T09:15:00Z')
const range = readTimeRange(new URLSearchParams('range=7d'), now)
const asking = { environment: 'production', bots: false, range, filters: [] }
const read = (search: string) => readQuestion(new URLSearchParams(search), range)
const ask = (search: string) => askExplore(asking, read(search))

describe('a question of the address', () => {
  it('is of events by day, and in all by the values of a field', () => {
    expect(describeQuestion(read(''))).toBe('Events by day')
    expect(describeQuestion(read('by=prop.plan'))).toBe('Events by plan')
    expect(describeQuestion(read('by=prop.plan&over=week&event=Order+Placed&show=people'))).toBe(
      'People of Order Placed by plan, by week',
    )
  })

  it('is of no hours where there are too many', () => {
    expect(read('over=hour').interval).toBe('hour')
    const year = readTimeRange(new URLSearchParams('range=365d'), now)
    expect(readQuestion(new URLSearchParams('over=hour'), year).interval).toBe('day')
  })

  it('asks sessions for nothing that only events have, but for their properties', () => {
    expect(read('show=bounce_rate&by=path').by).toBeUndefined()
    expect(read('show=bounce_rate&by=entry').by?.name).toBe('entry')
    expect(read('show=bounce_rate&by=prop.plan&event=x')).toMatchObject({
      by: { name: 'prop.plan' },
      event: '',
    })
  })

  it('waits for the property that a sum is of', () => {
    expect(ask('show=sum')).toBeUndefined()
    expect(ask('show=sum&property=price')).toMatchObject({ measure: 'sum', property: 'price' })
  })
})

describe('toLines', () => {
  it('makes a line of each value, and leaves out what is yet to come', () => {
    const day = (ago: number) => new Date(range.until.getTime() - (ago + 1) * 86_400_000).toISOString()
    const rows = [
      [day(1), 3, 'pro'],
      [day(0), 4, 'pro'],
      [day(6), 1, null],
    ]
    const options = { range, now: new Date(range.until.getTime() - 86_400_000), unit: 'day' as const }
    const counts = toLines(rows, { ...options, empty: 0, nameOf: (value) => value ?? '(none)' })
    expect(counts.series).toEqual([
      { title: 'pro', values: [0, 0, 0, 0, 0, 3] },
      { title: '(none)', values: [1, 0, 0, 0, 0, 0] },
    ])
    expect(counts.isOpen).toBe(true)
    const rates = toLines(rows, { ...options, empty: null, nameOf: String })
    expect(rates.series[0]?.values).toEqual([null, null, null, null, null, 3])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toSeries } from '../src/pages/overview/toSeries'
import { listTimes } from '../src/shell/listTimes'
import { fromDay, readTimeRange, toDay } from '../src/shell/timeRange'

const zone = process.env['TZ']
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin'
})
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const read = (search: string, now: string) => readTimeRange(new URLSearchParams(search), new Date(now))

describe('readTimeRange', () => {
  it('is the last 30 days with today, by the clock of the browser', () => {
    const range = read('', '2026-07-10T22:30:00Z')
    expect(range).toMatchObject({ name: '30d', unit: 'day' })
    // In Berlin the 11th has begun.
    expect(range.from.toISOString()).toBe('2026-06-11T22:00:00.000Z')
    expect(range.until.toISOString()).toBe('2026-07-11T22:00:00.000Z')
  })

  it('compares what is over of today with as much of the day before', () => {
    const { from, before, unit } = read('range=today', '2026-07-10T09:15:00Z')
    expect(unit).toBe('hour')
    expect(before.until.toISOString()).toBe('2026-07-09T09:15:00.000Z')
    expect(before.from.getTime()).toBe(from.getTime() - 86_400_000)
  })

  it('is all of yesterday, and compares it with the day before', () => {
    const { from, until, before, unit } = read('range=yesterday', '2026-07-10T09:15:00Z')
    expect([toDay(from), toDay(until), unit]).toEqual(['2026-07-09', '2026-07-10', 'hour'])
    expect([toDay(before.from), toDay(before.until)]).toEqual(['2026-07-08', '2026-07-09'])
  })

  it('begins weeks on Monday and months on the first, also before the range', () => {
    const range = read('range=custom&from=2026-03-25&until=2026-04-07', '2026-07-01')
    const days = (unit: 'week' | 'month') =>
      listTimes(range, unit).map((time) => toDay(new Date(time * 1000)))
    expect(days('week')).toEqual(['2026-03-23', '2026-03-30', '2026-04-06'])
    expect(days('month')).toEqual(['2026-03-01', '2026-04-01'])
  })

  it('asks the same within a minute, so that the service has the answer in its cache', () => {
    const early = read('range=7d', '2026-07-10T09:15:00.001Z')
    expect(read('range=7d', '2026-07-10T09:15:59.999Z')).toEqual(early)
    expect(read('range=7d', '2026-07-10T09:16:00Z')).not.toEqual(early)
  })

  it('keeps whole days where clocks change', () => {
    // On 29 March 2026 the day has 23 hours in Berlin.
    const range = read('range=custom&from=2026-03-29&until=2026-03-31', '2026-07-01T00:00:00Z')
    expect(range.until.getTime() - range.from.getTime()).toBe(71 * 3_600_000)
    expect([toDay(range.before.from), toDay(range.before.until)]).toEqual(['2026-03-26', '2026-03-29'])
    expect(listTimes(range, 'day').map((time) => toDay(new Date(time * 1000)))).toEqual([
      '2026-03-29',
      '2026-03-30',
      '2026-03-31',
    ])
    expect(
      listTimes(read('range=custom&from=2026-03-29&until=2026-03-29', '2026-07-01'), 'hour'),
    ).toHaveLength(23)
  })

  it('takes one day where the last is before the first, and the usual time for what it does not know', () => {
    const range = read('range=custom&from=2026-05-10&until=2026-05-01', '2026-07-01T00:00:00Z')
    expect([toDay(range.from), toDay(range.until)]).toEqual(['2026-05-10', '2026-05-11'])
    expect(read('range=nonsense', '2026-07-01T00:00:00Z').name).toBe('30d')
    expect(fromDay('2026-02-30')).toBeUndefined()
    expect(fromDay('yesterday')).toBeUndefined()
  })
})

describe('toSeries', () => {
  it('gives 0 where there is no row, nothing for what is to come, and the period before by its place', () => {
    const now = new Date('2026-07-10T10:00:00Z')
    const range = read('range=7d', now.toISOString())
    const rows = [
      ['now', '2026-07-04', 3],
      ['now', '2026-07-10', 1],
      ['before', '2026-06-28', 9],
    ]
    const lines = toSeries(rows, 2, range, now)
    expect(lines.now).toEqual([3, 0, 0, 0, 0, 0, 1])
    expect(lines.before).toEqual([0, 9, 0, 0, 0, 0, 0])

    const today = read('range=today', now.toISOString())
    const hours = toSeries([['now', '2026-07-10T11:00:00+02:00', 5]], 2, today, now)
    expect(hours.now).toHaveLength(24)
    expect(hours.now.slice(10, 13)).toEqual([0, 5, null])
  })
})

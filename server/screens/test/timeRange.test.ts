import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toOthers, toSeries } from '../src/pages/overview/toSeries'
import { listTimes } from '../src/address/listTimes'
import type { Period } from '../src/data/asks'
import { fromDay, readTimeRange, toDay } from '../src/address/timeRange'

const zone = process.env['TZ']
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin'
})
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const days = (period: Period | undefined) => period && [toDay(period.from), toDay(period.until)]
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
    expect(before?.until.toISOString()).toBe('2026-07-09T09:15:00.000Z')
    expect(before?.from.getTime()).toBe(from.getTime() - 86_400_000)
  })

  it('is all of yesterday, and compares it with the day before', () => {
    const { from, until, before, unit } = read('range=yesterday', '2026-07-10T09:15:00Z')
    expect([toDay(from), toDay(until), unit]).toEqual(['2026-07-09', '2026-07-10', 'hour'])
    expect(days(before)).toEqual(['2026-07-08', '2026-07-09'])
  })

  it('has the weeks and months of the calendar, compared with those before as far as they are over', () => {
    // A Wednesday, 11:15 in Berlin.
    const now = '2026-03-11T10:15:00Z'
    const cases: [string, string[], string[] | undefined][] = [
      ['week', ['2026-03-09', '2026-03-12'], ['2026-03-02', '2026-03-04']],
      ['lastweek', ['2026-03-02', '2026-03-09'], ['2026-02-23', '2026-03-02']],
      ['month', ['2026-03-01', '2026-03-12'], ['2026-02-01', '2026-02-11']],
      ['lastmonth', ['2026-02-01', '2026-03-01'], ['2026-01-01', '2026-02-01']],
      ['all', ['2000-01-01', '2026-03-12'], undefined],
    ]
    for (const [name, period, before] of cases) {
      const range = read(`range=${name}`, now)
      expect([name, days(range), days(range.before)]).toEqual([name, period, before])
    }
    // The end of March is longer than all of February.
    expect(days(read('range=month', '2026-03-31T10:00:00Z').before)).toEqual(['2026-02-01', '2026-03-01'])
  })

  it('compares with the year before, or other dates, also so that weekdays match', () => {
    const before = (search: string) => days(read(`range=lastmonth&${search}`, '2026-03-11T10:15:00Z').before)
    expect(before('vs=year')).toEqual(['2025-02-01', '2025-03-01'])
    expect(before('vs=year&weekdays=1')).toEqual(['2025-02-02', '2025-03-02'])
    expect(before('vs=custom&vs_from=2025-11-05')).toEqual(['2025-11-05', '2025-12-03'])
    // From a Sunday to the nearest Sunday.
    expect(before('vs=custom&vs_from=2025-11-05&weekdays=1')).toEqual(['2025-11-02', '2025-11-30'])
    expect(before('weekdays=1')).toEqual(['2026-01-04', '2026-02-01'])
    expect(before('vs=none')).toBeUndefined()
  })

  it('is drawn by what is asked for, if that can be drawn', () => {
    const unit = (search: string) => read(search, '2026-07-10T09:15:00Z').unit
    expect(unit('range=30d&each=week')).toBe('week')
    expect(unit('range=today&each=month')).toBe('hour')
    expect([unit('range=365d'), unit('range=365d&each=hour'), unit('range=all')]).toEqual([
      'day',
      'day',
      'month',
    ])
  })

  it('begins weeks on Monday and months on the first, also before the range', () => {
    const range = read('range=custom&from=2026-03-25&until=2026-04-07', '2026-07-01')
    const starts = (unit: 'week' | 'month') =>
      listTimes(range, unit).map((time) => toDay(new Date(time * 1000)))
    expect(starts('week')).toEqual(['2026-03-23', '2026-03-30', '2026-04-06'])
    expect(starts('month')).toEqual(['2026-03-01', '2026-04-01'])
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
    expect(days(range.before)).toEqual(['2026-03-26', '2026-03-29'])
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

describe('toOthers', () => {
  it('draws the sums of each program where it has some, and none where it has nothing', () => {
    const rows = [
      ['plausible', '2024-01-02T00:00:00Z', 7],
      ['plausible', '2024-01-04T00:00:00Z', 9],
      ['ga4', '2024-01-02T00:00:00Z', null],
    ]
    const x = ['2024-01-02', '2024-01-03', '2024-01-04'].map((each) => Date.parse(each) / 1000)
    expect(toOthers(rows, 2, x)).toEqual([
      { title: 'Plausible’s own sums', values: [7, null, 9], isOthers: true },
    ])
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
    const lines = toSeries(rows, 2, range, { now })
    expect(lines.now).toEqual([3, 0, 0, 0, 0, 0, 1])
    expect(lines.before).toEqual([0, 9, 0, 0, 0, 0, 0])
    expect(toSeries(rows, 2, read('range=7d&vs=none', now.toISOString()), { now }).before).toContain(null)

    const today = read('range=today', now.toISOString())
    const hours = toSeries([['now', '2026-07-10T11:00:00+02:00', 5]], 2, today, { now })
    // 12:00 in Berlin has just begun; the hours after it are not drawn.
    expect(hours.now).toHaveLength(12)
    expect(hours.now.slice(10)).toEqual([0, 5])
  })

  it('begins all time with the first row', () => {
    const now = new Date('2026-07-10T10:00:00Z')
    const lines = toSeries([['now', '2026-05-01', 4]], 2, read('range=all', now.toISOString()), { now })
    expect([lines.now, lines.before]).toEqual([
      [4, 0, 0],
      [null, null, null],
    ])
  })
})

import type { Period } from '../data/asks'

export type Unit = 'hour' | 'day' | 'week' | 'month'

export interface TimeRange extends Period {
  /** The key of `ranges`, or `custom`. */
  name: string
  title: string
  /** What charts are drawn by. */
  unit: Unit
  /** The units that charts can be drawn by. */
  units: Unit[]
  /** What it is compared with, if anything; of a period that goes on, the part that corresponds to what is over of it. */
  before: Period | undefined
}

/** How many days, with today. */
const days: Record<string, number> = { today: 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365 }

export const ranges: readonly (readonly [name: string, title: string])[] = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['week', 'This week'],
  ['lastweek', 'Last week'],
  ['7d', 'Last 7 days'],
  ['month', 'This month'],
  ['lastmonth', 'Last month'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
  ['365d', 'Last 12 months'],
  ['all', 'All time'],
  ['custom', 'Days from … to …'],
]

const usual = '30d'
/** Before the first event of any: clocks that are decades wrong are left out. */
const firstYear = 2000
/** A chart of so many days is drawn by the hour unless something else is chosen. */
const mostDaysByHour = 2
/** How many days a chart by each unit can have: it has two places at least, and no thousand. */
const drawnBy: Record<Unit, readonly [least: number, most: number]> = {
  hour: [1, 14],
  day: [2, 800],
  week: [8, Infinity],
  month: [32, Infinity],
}

export const comparisons: readonly (readonly [name: string, title: string])[] = [
  ['before', 'the period before'],
  ['year', 'the year before'],
  ['custom', 'the days from …'],
  ['none', 'nothing'],
]

/** What the address compares with. */
export const readComparison = (search: URLSearchParams): string =>
  comparisons.find(([name]) => name === search.get('vs'))?.[0] ?? 'before'

export const startOfDay = (date: Date, addDays = 0): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + addDays)

/** Days by the clock, so that a day on which clocks change counts as one. */
const addDays = (date: Date, count: number): Date => {
  const next = new Date(date)
  next.setDate(next.getDate() + count)
  return next
}

/** With a time that changes only each minute, the service has the answers of a reload in its cache. */
const startOfMinute = (date: Date): Date => new Date(Math.floor(date.getTime() / 60_000) * 60_000)

const monthOf = (date: Date, add = 0): Date => new Date(date.getFullYear(), date.getMonth() + add, 1)
/** Monday. */
export const weekOf = (date: Date): Date => startOfDay(date, -((date.getDay() + 6) % 7))

const countDays = ({ from, until }: Period) => Math.round((until.getTime() - from.getTime()) / 86_400_000)

/** A day as `<input type="date">` has it. */
export const toDay = (date: Date): string => {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The start of a day that is written as `2026-03-29`, by the browser's clock; `undefined` for anything else. */
export function fromDay(text: string | null): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '') ?? []
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  return toDay(date) === text ? date : undefined
}

function readCustom(search: URLSearchParams, now: Date): Period | undefined {
  if (search.get('range') !== 'custom') return undefined
  const from = fromDay(search.get('from')) ?? startOfDay(now, -29)
  const last = fromDay(search.get('until')) ?? startOfDay(now)
  return { from, until: startOfDay(last < from ? from : last, 1) }
}

function readPeriod(name: string, now: Date): Period {
  const monday = weekOf(now)
  const calendar: Record<string, Period> = {
    yesterday: { from: startOfDay(now, -1), until: startOfDay(now) },
    week: { from: monday, until: startOfDay(now, 1) },
    lastweek: { from: startOfDay(monday, -7), until: monday },
    month: { from: monthOf(now), until: startOfDay(now, 1) },
    lastmonth: { from: monthOf(now, -1), until: monthOf(now) },
    all: { from: new Date(firstYear, 0, 1), until: startOfDay(now, 1) },
  }
  return calendar[name] ?? { from: startOfDay(now, 1 - (days[name] ?? 30)), until: startOfDay(now, 1) }
}

/** What a period is compared with. `over` is the end of what is over of it. */
function readBefore(search: URLSearchParams, name: string, { from, until, over }: Period & { over: Date }) {
  const comparison = readComparison(search)
  if (comparison === 'none' || name === 'all') return undefined
  const isByWeekday = search.get('weekdays') === '1'
  const length = countDays({ from, until })
  const back = (count: number) => ({ from: addDays(from, -count), until: addDays(over, -count) })

  if (comparison === 'year') {
    if (isByWeekday) return back(52 * 7)
    const yearBefore = (date: Date) => {
      const earlier = new Date(date)
      earlier.setFullYear(date.getFullYear() - 1)
      return earlier
    }
    return { from: yearBefore(from), until: yearBefore(over) }
  }
  if (comparison === 'custom') {
    const start = fromDay(search.get('vs_from')) ?? addDays(from, -length)
    const distance = countDays({ from: start, until: from })
    return back(isByWeekday ? Math.round(distance / 7) * 7 : distance)
  }
  if (isByWeekday || name === 'week') return back(Math.ceil(length / 7) * 7)
  if (name !== 'month' && name !== 'lastmonth') return back(length)
  // A month is compared with the one before, however many days that has.
  const start = monthOf(from, -1)
  const end = addDays(over, -countDays({ from: start, until: from }))
  return { from: start, until: over < monthOf(from, 1) && end < from ? end : from }
}

/** The time that the address asks for, by the browser's clock. */
export function readTimeRange(search: URLSearchParams, now: Date): TimeRange {
  const asked = search.get('range') ?? usual
  const name = ranges.some(([each]) => each === asked) ? asked : usual
  const { from, until } = readCustom(search, now) ?? readPeriod(name, now)
  const length = countDays({ from, until })
  const over = until > now && from < now ? startOfMinute(now) : until
  const units = (['hour', 'day', 'week', 'month'] as const).filter(
    (unit) => length >= drawnBy[unit][0] && length <= drawnBy[unit][1],
  )
  const usualUnit = length <= mostDaysByHour ? 'hour' : length <= drawnBy.day[1] ? 'day' : 'month'
  return {
    from,
    until,
    name,
    title: ranges.find(([each]) => each === name)?.[1] ?? '',
    unit: units.find((unit) => unit === search.get('each')) ?? usualUnit,
    units,
    before: readBefore(search, name, { from, until, over }),
  }
}

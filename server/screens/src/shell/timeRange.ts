export type Unit = 'hour' | 'day' | 'week' | 'month'

export interface Period {
  from: Date
  /** Exclusive. */
  until: Date
}

export interface TimeRange extends Period {
  /** The key of `ranges`, or `custom`. */
  name: string
  title: string
  unit: 'hour' | 'day'
  /** As long, right before; of a period that goes on, the part that corresponds to what is over of it. */
  before: Period
}

/** How many days, with today. */
const days: Record<string, number> = { today: 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365 }

export const ranges: readonly (readonly [name: string, title: string])[] = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
  ['365d', 'Last 12 months'],
  ['custom', 'Days from … to …'],
]

const usual = '30d'
/** A chart of so many days is drawn by the hour. */
const mostDaysByHour = 2

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

/** The time that the address asks for, by the browser's clock. */
export function readTimeRange(search: URLSearchParams, now: Date): TimeRange {
  const asked = search.get('range') ?? usual
  const name = ranges.some(([each]) => each === asked) ? asked : usual
  const custom = readCustom(search, now)
  const yesterday = name === 'yesterday' ? { from: startOfDay(now, -1), until: startOfDay(now) } : undefined
  const { from, until } = custom ??
    yesterday ?? {
      from: startOfDay(now, 1 - (days[name] ?? 30)),
      until: startOfDay(now, 1),
    }
  const length = countDays({ from, until })
  const over = until > now && from < now ? startOfMinute(now) : until
  return {
    from,
    until,
    name,
    title: ranges.find(([each]) => each === name)?.[1] ?? '',
    unit: length <= mostDaysByHour ? 'hour' : 'day',
    before: { from: addDays(from, -length), until: addDays(over, -length) },
  }
}

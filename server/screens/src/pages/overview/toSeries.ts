import type { Json } from '../../data/query'
import { fromDay, type Period, startOfDay, type TimeRange } from '../../shell/timeRange'

/** The starts of the days or hours of a period, in Unix seconds. */
export function listTimes({ from, until }: Period, unit: TimeRange['unit']): number[] {
  const times: number[] = []
  if (unit === 'hour')
    for (let at = from.getTime(); at < until.getTime(); at += 3_600_000) times.push(at / 1000)
  else for (let at = from; at < until; at = startOfDay(at, 1)) times.push(at.getTime() / 1000)
  return times
}

/** A DATE is a day by the browser's clock; a TIMESTAMPTZ says its moment itself. */
const readTime = (value: Json | undefined): number =>
  typeof value === 'string' ? (fromDay(value)?.getTime() ?? Date.parse(value)) / 1000 : Number.NaN

export interface Lines {
  x: number[]
  now: (number | null)[]
  /** By the place in the period, so that both lie above one another. */
  before: (number | null)[]
}

/**
 * Makes lines of the rows `[period, time, …]`: what has no row is 0, what is yet to come is nothing. `column` is the
 * place of the figure in a row.
 */
export function toSeries(rows: readonly Json[][], column: number, range: TimeRange, now: Date): Lines {
  const figures = new Map(rows.map((row) => [`${String(row[0])} ${readTime(row[1])}`, Number(row[column])]))
  const read = (period: string, times: number[], end: Date) =>
    times.map((time) => (time * 1000 >= end.getTime() ? null : (figures.get(`${period} ${time}`) ?? 0)))
  const x = listTimes(range, range.unit)
  const xBefore = listTimes(range.before, range.unit).slice(0, x.length)
  const before = read('before', xBefore, range.before.until)
  return {
    x,
    now: read('now', x, now < range.until ? now : range.until),
    before: x.map((_, at) => before[at] ?? null),
  }
}

import type { Json } from '../../data/query'
import { listTimes, readTime } from '../../shell/listTimes'
import type { TimeRange } from '../../shell/timeRange'

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

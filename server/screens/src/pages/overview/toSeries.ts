import type { Json } from '../../data/query'
import { listShown, listTimes, readTime } from '../../shell/listTimes'
import type { TimeRange } from '../../shell/timeRange'

export interface Lines {
  x: number[]
  now: (number | null)[]
  /** By the place in the period, so that both lie above one another. */
  before: (number | null)[]
}

/** Makes lines of the rows `[period, time, …]`: what has no row is 0. `column` is the place of the figure in a row. */
export function toSeries(rows: readonly Json[][], column: number, range: TimeRange, now: Date): Lines {
  const figures = { now: new Map<number, number>(), before: new Map<number, number>() }
  for (const row of rows)
    figures[row[0] === 'now' ? 'now' : 'before'].set(readTime(row[1]), Number(row[column]))
  const x = listShown({ range, unit: range.unit, now }, new Set(figures.now.keys()))
  const before = range.before ? listTimes(range.before, range.unit) : []
  return {
    x,
    now: x.map((time) => figures.now.get(time) ?? 0),
    before: x.map((_, at) => {
      const time = before[at]
      return time === undefined ? null : (figures.before.get(time) ?? 0)
    }),
  }
}

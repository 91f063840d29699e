import type { Json } from '../data/query'
import type { Series } from './Chart'
import { listTimes, readTime } from '../shell/listTimes'
import type { TimeRange, Unit } from '../shell/timeRange'

interface Options {
  range: TimeRange
  now: Date
  unit: Unit
  /** The figure of a time without rows; what is yet to come is a gap in any case. */
  empty: 0 | null
  nameOf: (value: string | null) => string
}

/** Makes a line of each value of the rows `[time, figure, value]`, in the order in which they come. */
export function toLines(
  rows: readonly Json[][],
  { range, now, unit, empty, nameOf }: Options,
): { x: number[]; series: Series[] } {
  const figures = new Map<string | null, Map<number, number | null>>()
  for (const [time, figure, value = null] of rows) {
    const key = value === null ? null : String(value)
    const own = figures.get(key) ?? new Map<number, number | null>()
    figures.set(key, own)
    own.set(readTime(time), figure === null || figure === undefined ? null : Number(figure))
  }
  const x = listTimes(range, unit)
  const series = [...figures].map(([value, own]) => ({
    title: nameOf(value),
    values: x.map((time) => (time * 1000 >= now.getTime() ? null : (own.get(time) ?? empty))),
  }))
  return { x, series }
}

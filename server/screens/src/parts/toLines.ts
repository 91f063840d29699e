import type { Json } from '../data/query'
import type { Series } from './Chart'
import { listShown, readTime } from '../address/listTimes'
import type { TimeRange, Unit } from '../address/timeRange'

interface Options {
  range: TimeRange
  now: Date
  unit: Unit
  /** The figure of a time without rows. */
  empty: 0 | null
  nameOf: (value: string | null) => string
}

/** Makes a line of each value of the rows `[time, figure, value]`, in the order in which they come. */
export function toLines(
  rows: readonly Json[][],
  { range, now, unit, empty, nameOf }: Options,
): { x: number[]; series: Series[]; isOpen: boolean } {
  const figures = new Map<string | null, Map<number, number | null>>()
  for (const [time, figure, value = null] of rows) {
    const key = value === null ? null : String(value)
    const own = figures.get(key) ?? new Map<number, number | null>()
    figures.set(key, own)
    own.set(readTime(time), figure === null || figure === undefined ? null : Number(figure))
  }
  const x = listShown({ range, unit, now }, new Set([...figures.values()].flatMap((own) => [...own.keys()])))
  const series = [...figures].map(([value, own]) => ({
    title: nameOf(value),
    values: x.map((time) => own.get(time) ?? empty),
  }))
  return { x, series, isOpen: now < range.until }
}

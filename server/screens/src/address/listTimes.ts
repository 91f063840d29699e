import type { Json } from '../data/query'
import type { Period } from '../data/asks'
import { fromDay, startOfDay, type TimeRange, type Unit, weekOf } from './timeRange'

/** The start of the day, week (Monday) or month that a moment is in. */
function startOf(unit: Exclude<Unit, 'hour'>, date: Date): Date {
  if (unit === 'month') return new Date(date.getFullYear(), date.getMonth(), 1)
  return unit === 'week' ? weekOf(date) : startOfDay(date)
}

const next = (unit: Exclude<Unit, 'hour'>, date: Date): Date =>
  unit === 'month'
    ? new Date(date.getFullYear(), date.getMonth() + 1, 1)
    : startOfDay(date, unit === 'week' ? 7 : 1)

/** The starts of the hours, days, weeks or months of a period, in Unix seconds. */
export function listTimes({ from, until }: Period, unit: Unit): number[] {
  const times: number[] = []
  if (unit === 'hour')
    for (let at = from.getTime(); at < until.getTime(); at += 3_600_000) times.push(at / 1000)
  else for (let at = startOf(unit, from); at < until; at = next(unit, at)) times.push(at.getTime() / 1000)
  return times
}

/** What a place of a chart of a period stands for: the hour, day, week or month from `time`, as far as it is in the period. */
export function partAt(time: number, unit: Unit, { from, until }: Period): Period {
  const start = new Date(time * 1000)
  const end = unit === 'hour' ? new Date(start.getTime() + 3_600_000) : next(unit, start)
  return { from: start < from ? from : start, until: end > until ? until : end }
}

/** The times of a chart: none that is yet to come, and of all time none before the first that has a figure. */
export function listShown(
  { range, unit, now }: { range: TimeRange; unit: Unit; now: Date },
  known: ReadonlySet<number>,
) {
  const x = listTimes({ from: range.from, until: now < range.until ? now : range.until }, unit)
  const first = range.name === 'all' ? x.findIndex((time) => known.has(time)) : 0
  return x.slice(Math.max(0, first))
}

/** In Unix seconds. A DATE is a day by the browser's clock; a TIMESTAMPTZ says its moment itself. */
export const readTime = (value: Json | undefined): number =>
  typeof value === 'string' ? (fromDay(value)?.getTime() ?? Date.parse(value)) / 1000 : Number.NaN

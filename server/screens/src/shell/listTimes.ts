import type { Json } from '../data/query'
import { fromDay, type Period, startOfDay, type Unit } from './timeRange'

/** The start of the day, week (Monday) or month that a moment is in. */
function startOf(unit: Exclude<Unit, 'hour'>, date: Date): Date {
  if (unit === 'month') return new Date(date.getFullYear(), date.getMonth(), 1)
  return startOfDay(date, unit === 'week' ? -((date.getDay() + 6) % 7) : 0)
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

/** In Unix seconds. A DATE is a day by the browser's clock; a TIMESTAMPTZ says its moment itself. */
export const readTime = (value: Json | undefined): number =>
  typeof value === 'string' ? (fromDay(value)?.getTime() ?? Date.parse(value)) / 1000 : Number.NaN

import type { Json } from '../../data/query'
import { fromDay, startOfDay } from '../../address/timeRange'
import type { Unit } from './retentionSearch'

export interface Cell {
  people: number
  share: number
  /** The period has not ended yet, so more may come back. */
  isOpen: boolean
}

export interface Cohort {
  /** The first day, as `2026-03-29`. */
  day: string
  size: number
  cells: Cell[]
}

/** The end of a cohort's period, by the browser's clock. */
function endOf(day: string, period: number, unit: Unit): Date | undefined {
  const start = fromDay(day)
  if (!start) return undefined
  if (unit === 'month') return new Date(start.getFullYear(), start.getMonth() + period + 1, 1)
  return startOfDay(start, (period + 1) * (unit === 'week' ? 7 : 1))
}

/** Rows `[cohort, size, period, people, share]` as a line for each cohort. `until` is when the answer ends. */
export function toCohorts(rows: readonly Json[][], unit: Unit, until: Date): Cohort[] {
  const cohorts = new Map<string, Cohort>()
  for (const [day, size, period, people, share] of rows) {
    const name = String(day)
    const cohort = cohorts.get(name) ?? { day: name, size: Number(size), cells: [] }
    cohorts.set(name, cohort)
    const end = endOf(name, Number(period), unit)
    cohort.cells[Number(period)] = {
      people: Number(people),
      share: Number(share),
      isOpen: end !== undefined && end > until,
    }
  }
  return [...cohorts.values()]
}

/** Those that the line of all is made of: a cohort of one came back or did not, which is no share. */
export const ofAll = (cohorts: readonly Cohort[]): Cohort[] => cohorts.filter(({ size }) => size > 1)

/** How many people came back in a period, of the cohorts for which it has ended; null where none has. */
export function averages(cohorts: readonly Cohort[]): (number | null)[] {
  const periods = Math.max(0, ...cohorts.map(({ cells }) => cells.length))
  return Array.from({ length: periods }, (_, period) => {
    const over = ofAll(cohorts).filter(({ cells }) => cells[period]?.isOpen === false)
    const size = over.reduce((sum, cohort) => sum + cohort.size, 0)
    const people = over.reduce((sum, { cells }) => sum + (cells[period]?.people ?? 0), 0)
    return size > 0 ? people / size : null
  })
}

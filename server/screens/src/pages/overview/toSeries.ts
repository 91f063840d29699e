import { listShown, listTimes, readTime } from '../../address/listTimes'
import type { TimeRange } from '../../address/timeRange'
import { programNames } from '../../data/imports'
import type { Json } from '../../data/query'

interface Lines {
  x: number[]
  now: (number | null)[]
  /** By the place in the period, so that both lie above one another. */
  before: (number | null)[]
}

/**
 * Makes lines of the rows `[period, time, …]`: what has no row is 0. `column` is the place of the figure in a row, and
 * `times` are further ones that are shown.
 */
export function toSeries(
  rows: readonly Json[][],
  column: number,
  range: TimeRange,
  { now, times = [] }: { now: Date; times?: readonly number[] },
): Lines {
  const figures = { now: new Map<number, number>(), before: new Map<number, number>() }
  for (const row of rows)
    figures[row[0] === 'now' ? 'now' : 'before'].set(readTime(row[1]), Number(row[column]))
  const x = listShown({ range, unit: range.unit, now }, new Set([...figures.now.keys(), ...times]))
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

/** What other programs have counted, by the times of `x`: a line for each of them that has a figure there. */
export function toOthers(rows: readonly Json[][], column: number, x: readonly number[]) {
  const programs = new Map<string, Map<number, number>>()
  for (const row of rows) {
    const [program, time] = [String(row[0]), readTime(row[1])]
    const figures = programs.get(program) ?? new Map<number, number>()
    programs.set(program, figures)
    if (typeof row[column] === 'number') figures.set(time, row[column])
  }
  return [...programs]
    .map(([program, figures]) => ({
      title: `${programNames[program] ?? program}’s own sums`,
      values: x.map((time) => figures.get(time) ?? null),
      isOthers: true,
    }))
    .filter(({ values }) => values.some((value) => value !== null))
}

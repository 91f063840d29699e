import type { Json } from '../../data/query'

/** Lines of rows `[minute, events, people]`, with 0 for the minutes that have no row. */
export function toMinutes(rows: readonly Json[][], minutes: number, now: Date) {
  const last = Math.floor(now.getTime() / 60_000) * 60
  const x = Array.from({ length: minutes }, (_, at) => last - (minutes - 1 - at) * 60)
  const figures = new Map(rows.map(([minute, ...rest]) => [Date.parse(String(minute)) / 1000, rest]))
  const read = (column: number) => x.map((time) => Number(figures.get(time)?.[column] ?? 0))
  return { x, events: read(0), people: read(1) }
}

import { listTimes, readTime } from '../../address/listTimes'
import type { TimeRange, Unit } from '../../address/timeRange'
import { showValue } from '../../data/fields'
import type { Answer, Json } from '../../data/query'
import type { Series } from '../../parts/Chart'
import { formatCount, nameWeekday } from '../../parts/format'
import type { Question } from './exploreSearch'

export const textOf = (value: Json | undefined) =>
  value === null || value === undefined ? null : String(value)
export const numberOf = (value: Json | undefined) =>
  value === null || value === undefined ? null : Number(value)

/** Reads a cell of a row by the name of its column. */
export const reader =
  ({ columns }: Answer) =>
  (row: readonly Json[], name: string): Json | undefined =>
    row[columns.findIndex((each) => each.name === name)]

export const noCurrency = '(no currency)'

/** What a line is called: by its value, its currency, or how many values it is of. */
const lineName = (question: Question, [value, values, currency]: readonly (Json | undefined)[]) => {
  const { by, measure, hasRest } = question
  if (!by) return measure.title
  const name =
    hasRest && Number(values) > 1 ? `${formatCount(Number(values))} others` : showValue(by, textOf(value))
  return currency === undefined ? name : `${name}, ${textOf(currency) ?? noCurrency}`
}

/** Rows `[time, figure, line]`. */
export const toRows = (answer: Answer, question: Question): Json[][] => {
  const read = reader(answer)
  return answer.rows.map((row) => [
    read(row, 'time') ?? null,
    read(row, 'figure') ?? null,
    lineName(question, [read(row, 'value'), read(row, 'values'), read(row, 'currency')]),
  ])
}

/** The value that each line is of, by its title; a line of several values has none. */
export const valuesOfLines = (answer: Answer, question: Question): Map<string, Json> => {
  const read = reader(answer)
  const rows = answer.rows.filter((row) => !(question.hasRest && Number(read(row, 'values')) > 1))
  return new Map(
    rows.map((row) => [
      lineName(question, [read(row, 'value'), read(row, 'values')]),
      read(row, 'value') ?? null,
    ]),
  )
}

export const places = {
  weekday: {
    x: [1, 2, 3, 4, 5, 6, 7],
    name: nameWeekday,
    tick: (day: number) => nameWeekday(day).slice(0, 3),
  },
  hour_of_day: {
    x: Array.from({ length: 24 }, (_, hour) => hour),
    name: (hour: number) => `${String(hour).padStart(2, '0')}:00`,
    tick: String,
  },
}

/** Lines over what comes again: a place without rows is `empty`. */
export const toCycle = (rows: readonly Json[][], x: readonly number[], empty: 0 | null): Series[] => {
  const lines = new Map<string, (number | null)[]>()
  for (const [time, figure, line] of rows) {
    const values = lines.get(String(line)) ?? x.map(() => empty)
    lines.set(String(line), values)
    const at = x.indexOf(Number(time))
    if (at >= 0) values[at] = numberOf(figure)
  }
  return [...lines].map(([title, values]) => ({ title, values }))
}

/** The line of another time, place by place below that of the time. */
export function toBefore(rows: readonly Json[][], range: TimeRange, unit: Unit, empty: 0 | null): Series[] {
  if (!range.before) return []
  const figures = new Map(rows.map(([time, figure]) => [readTime(time), numberOf(figure)]))
  const values = listTimes(range.before, unit).map((time) => figures.get(time) ?? empty)
  return [{ title: 'Before', values, isBefore: true }]
}

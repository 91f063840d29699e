import type { Answer, Column } from '../../data/query'
import { isNumber, isTime, showValue } from './showValue'

export interface ResultLine {
  x: number[]
  y: (number | null)[]
  isTime: boolean
  isCount: boolean
  /** What each whole number of x stands for, where x are names. */
  names?: string[]
  /** There are more names than a chart has room for. */
  isCut: boolean
}

const mostNames = 200

const toNumber = (value: unknown): number | null => {
  const number = value === null || value === undefined ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : null
}

/** DATEs and TIMESTAMPs have no time zone: they are taken by the browser's clock, like the days of its axis. */
const toSeconds = (value: unknown): number =>
  Date.parse(/^\d{4}-\d\d-\d\d$/.test(String(value)) ? `${String(value)}T00:00` : String(value)) / 1000

/** The columns that can be drawn: any as x, numbers as y. The first of each that fits is the usual one. */
export function pickColumns(columns: readonly Column[], asked: { x: string | null; y: string | null }) {
  const find = (name: string | null) => columns.findIndex((column) => column.name === name)
  const isFigure = (at: number) => isNumber(columns[at]?.type ?? '')
  const askedX = find(asked.x)
  const usualX = columns.findIndex(({ type }) => !isNumber(type))
  const x = askedX >= 0 ? askedX : Math.max(0, usualX)
  const askedY = find(asked.y)
  const usualY = columns.findIndex((_, at) => at !== x && isFigure(at))
  const y = askedY >= 0 && isFigure(askedY) ? askedY : usualY
  return { x, y }
}

/** Points of two columns: times and numbers in their order, names in the order of the rows. */
export function toChart({ columns, rows }: Answer, { x, y }: { x: number; y: number }): ResultLine {
  const type = columns[x]?.type ?? ''
  const ys = (list: typeof rows) => list.map((row) => toNumber(row[y]))
  const isCountOf = (values: (number | null)[]) =>
    values.every((value) => value === null || (Number.isInteger(value) && value >= 0))
  if (!isTime(type) && !isNumber(type)) {
    const some = rows.slice(0, mostNames)
    const values = ys(some)
    return {
      x: some.map((_, at) => at),
      y: values,
      isTime: false,
      isCount: isCountOf(values),
      names: some.map((row) => showValue(row[x]) ?? 'NULL'),
      isCut: rows.length > mostNames,
    }
  }
  const place = isTime(type) ? toSeconds : Number
  const points = rows
    .map((row) => ({ at: place(row[x] ?? Number.NaN), row }))
    .filter(({ at }) => Number.isFinite(at))
    .toSorted((a, b) => a.at - b.at)
  const values = ys(points.map(({ row }) => row))
  return {
    x: points.map(({ at }) => at),
    y: values,
    isTime: isTime(type),
    isCount: isCountOf(values),
    isCut: false,
  }
}

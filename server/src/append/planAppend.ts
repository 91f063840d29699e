import type { DuckDBConnection } from '@duckdb/node-api'
import { shorten } from '../http/HttpError.js'
import type { FieldKind, Fields } from './describeFields.js'
import { quoteIdentifier } from '../duckdb/quote.js'
import { tableSql, type Target } from './Target.js'

/** Whether a column holds integers that would change as a DOUBLE. */
const holdsLongIntegers = async (connection: DuckDBConnection, target: Target, column: string) => {
  const name = quoteIdentifier(column)
  const reader = await connection.runAndReadAll(
    `SELECT 1 FROM ${tableSql(target)} WHERE ${name} > ${2 ** 53} OR ${name} < -${2 ** 53} LIMIT 1`,
  )
  return reader.currentRowCount > 0
}

/** Keeps a column with long integers BIGINT when the new values fit into it, and finds a problem when they do not. */
export const settleWidening = async (
  connection: DuckDBConnection,
  target: Target,
  plan: AppendPlan,
): Promise<AppendPlan | AppendProblem> => {
  let settled = plan
  for (const { column, mayStay } of plan.widen) {
    if (!(await holdsLongIntegers(connection, target, column))) continue
    if (!mayStay) {
      const why = 'holds integers that would change if it became DOUBLE, as this value needs'
      return {
        kind: 'problem',
        code: 'incompatible-schema',
        message: `The column ${shortName(column)} ${why}.`,
      }
    }
    settled = {
      ...settled,
      widen: settled.widen.filter((each) => each.column !== column),
      read: settled.read.map((each) => (each.column === column ? { ...each, type: 'BIGINT' } : each)),
    }
  }
  return settled
}

export const shortName = (name: string) => JSON.stringify(shorten(name))

/** Says which name of a field cannot be the name of a column; undefined when all can. */
export const nameProblem = (names: Iterable<string>): string | undefined => {
  const spelled = new Map<string, string>()
  for (const name of names) {
    if (name === '') return 'A field has an empty name.'
    if (name.includes('\0')) return `The name of the field ${shortName(name)} holds the character U+0000.`
    const key = name.toLowerCase()
    const other = spelled.get(key)
    if (other !== undefined)
      return `The fields ${shortName(other)} and ${shortName(name)} differ only in case.`
    spelled.set(key, name)
  }
  return undefined
}

export interface Column {
  name: string
  /** The SQL type. */
  type: string
  /** Whether an append made the column, so that an append may widen it. */
  inferred: boolean
}

export interface AppendPlan {
  kind: 'append'
  /** The new columns, in order. */
  add: { name: string; type: string }[]
  /** Columns whose type becomes DOUBLE. A column that may stay can hold the values without that. */
  widen: { column: string; mayStay: boolean }[]
  /** The column for each field. */
  read: { field: string; column: string; type: string }[]
}

export type AppendProblem = { kind: 'problem'; code: 'invalid-data' | 'incompatible-schema'; message: string }

const whole = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/

/** Whether this is the type of whole numbers. */
export const isWhole = (type: string): boolean => whole.test(type)

/** Whether an append makes columns of this type and may widen them to DOUBLE when a fraction comes. */
export const isWidened = (type: string): boolean => type === 'BIGINT'

const fractional = /^(DOUBLE|FLOAT)$/
const beyondBigint = /^(U?HUGEINT|UBIGINT)$/

/** Whether this is a type of date and time. */
export const isMoment = (type: string): boolean => type.startsWith('TIMESTAMP') && !isNested(type)

/** Whether this is a list, an array, a struct, a map or a union. DECIMAL and ENUM have brackets, too, but are not nested. */
export const isNested = (type: string): boolean => type.endsWith(']') || /^(STRUCT|MAP|UNION)\(/.test(type)

const words: Partial<Record<FieldKind, string>> = {
  long: 'long integer',
  large: 'long integer',
  huge: 'long integer',
  digits: 'long integer',
  whole: 'float',
}

/** Names kinds for a message. */
const listKinds = (kinds: readonly FieldKind[]) =>
  [...new Set(kinds.map((kind) => words[kind] ?? kind))].join(' and ')

/** The type of a new column that holds these kinds as they were sent; undefined when none does. */
export const inferType = (kinds: readonly FieldKind[]): string | undefined => {
  const only = (...allowed: FieldKind[]) => kinds.every((kind) => allowed.includes(kind))
  if (only('integer', 'long')) return 'BIGINT'
  if (only('integer', 'long', 'large', 'huge')) return 'HUGEINT'
  if (only('integer', 'large', 'whole', 'float')) return 'DOUBLE'
  // A DOUBLE would change the long integers beside a fraction.
  if (only('integer', 'long', 'large', 'huge', 'digits', 'whole', 'float')) return 'VARCHAR'
  if (only('timestamp')) return 'TIMESTAMP'
  if (only('text', 'timestamp')) return 'VARCHAR'
  if (only('boolean')) return 'BOOLEAN'
  return only('json') ? 'JSON' : undefined
}

const fits = (type: string, kinds: readonly FieldKind[]): boolean => {
  const only = (...allowed: FieldKind[]) => kinds.every((kind) => allowed.includes(kind))
  if (type === 'JSON' || type === 'VARCHAR') return true
  if (isNested(type)) return only('json')
  if (isWhole(type))
    return only('integer', 'long', 'whole', ...(beyondBigint.test(type) ? (['large', 'huge'] as const) : []))
  if (type.startsWith('DECIMAL')) return only('integer', 'long', 'large', 'huge', 'whole', 'float')
  if (fractional.test(type)) return only('integer', 'large', 'whole', 'float')
  if (isMoment(type)) return only('timestamp')
  if (type === 'BOOLEAN') return only('boolean')
  // In JSON a date, a UUID, an enumeration and the like are texts. The cast decides whether they fit.
  return only('text', 'timestamp')
}

/** Says that a column does not take values of all these kinds; undefined when it does. */
export const kindProblem = (field: string, type: string, kinds: readonly FieldKind[]): string | undefined => {
  const held = kinds.filter((kind) => !fits(type, [kind]))
  return held.length === 0
    ? undefined
    : `The field ${shortName(field)} holds ${listKinds(held)} values; the column is ${type}.`
}

const isFraction = (kinds: readonly FieldKind[]) =>
  fits('DOUBLE', kinds) && kinds.some((kind) => kind === 'whole' || kind === 'float')

const problem = (code: AppendProblem['code'], message: string): AppendProblem => ({
  kind: 'problem',
  code,
  message,
})

/** Says that a table would get too many columns; undefined when it would not. Columns that are there do not count as new. */
export const widthProblem = (known: number, added: number, maxColumns: number): string | undefined =>
  added === 0 || known + added <= maxColumns
    ? undefined
    : `The table would have ${known + added} columns, and a table that gets new ones has at most ${maxColumns} (--max-columns). Put what differs from record to record into one field, as an object.`

/**
 * Plans how records go into a table with these columns. `columns` is undefined when there is no table. `request` has the
 * kinds of all records that were accepted together, if these are but some of them: a new column must hold them all.
 */
export const planAppend = (
  columns: readonly Column[] | undefined,
  fields: Fields,
  request = fields,
): AppendPlan | AppendProblem => {
  const known = new Map((columns ?? []).map((column) => [column.name.toLowerCase(), column]))
  const wrong = nameProblem(Object.keys(fields))
  if (wrong !== undefined) return problem('invalid-data', wrong)
  const plan: AppendPlan = { kind: 'append', add: [], widen: [], read: [] }

  for (const [field, kinds] of Object.entries(fields)) {
    const column = known.get(field.toLowerCase())
    if (column === undefined) {
      // A field with nothing but nulls has no type yet, and needs no column: a missing column reads as NULL.
      if (kinds.length === 0) continue
      const type = inferType(request[field] ?? kinds)
      if (type === undefined) {
        return problem(
          'incompatible-schema',
          `The field ${shortName(field)} holds ${listKinds(kinds)} values.`,
        )
      }
      plan.add.push({ name: field, type })
      plan.read.push({ field, column: field, type })
    } else if (column.inferred && isWidened(column.type) && isFraction(kinds)) {
      plan.widen.push({ column: column.name, mayStay: fits(column.type, kinds) })
      plan.read.push({ field, column: column.name, type: 'DOUBLE' })
    } else {
      const unfit = kindProblem(field, column.type, kinds)
      if (unfit !== undefined) return problem('incompatible-schema', unfit)
      plan.read.push({ field, column: column.name, type: column.type })
    }
  }
  if (plan.read.length === 0) return problem('invalid-data', 'No field of these records has a value.')
  return plan
}

import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import type { Cancellation, CancelReason } from '../sql/Cancellation.js'
import type { Plan } from '../sql/planStatement.js'
import type { QueryRunner, RunningQuery } from '../sql/QueryRunner.js'
import { isJson } from '../sql/rows/postgresText.js'
import { type Rows, createMend } from '../sql/rows/streamRows.js'
import type { HeldConnection } from '../sql/HeldConnections.js'
import type { Pausable } from '../duckdb/ConcurrencyLimit.js'
import type { UserRole } from '../users/Identity.js'
import type { CopyWriter } from './statements/copyFormats.js'
import { admitReading, fieldsOf, hasRows, isExplain, refusalOfWrite } from './describeStatement.js'
import type { Statement } from './statements/statements.js'
import { functionName } from './catalog/typeTables.js'
import { type Field, isUnbounded, textField } from './types.js'

/** A row's values, each as Postgres writes it in text. */
export type TextRow = (string | null)[]

/** Where the rows of an answer come from. */
export interface RowSource extends Pausable {
  /** Undefined for a kind of statement that has no rows. */
  fields: readonly Field[] | undefined
  /** Writes the rows of a COPY, which are no rows of an answer. */
  copied?: CopyWriter
  /** Returns some rows; undefined after the last. */
  next(): Promise<TextRow[] | undefined>
  /** The tag of the message that follows the last row. */
  tag(rows: number): string
  /** Must be called when the rows are not read to their end. Later calls do nothing. */
  close(reason: CancelReason): void
}

export interface QueryOptions {
  queryId: string
  runner: QueryRunner
  held: HeldConnection
  user: string
  role: UserRole
  applicationName: string
  statement: Statement
  /** What the log shows. */
  sent: string
  /** The statement as DuckDB reads it. */
  text: string
  cancellation: Cancellation
  timeoutMs: number | undefined
}

type CellReader = (value: unknown) => string | null

const asText: CellReader = (value) => {
  if (typeof value === 'string' || value === null) return value
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const asVector: CellReader = (value) =>
  value === null ? null : String(value).replaceAll(/[{}]/g, '').replaceAll(',', ' ')

const asFunction: CellReader = (value) =>
  value === null ? null : (functionName(Number(value)) ?? (Number(value) === 0 ? '-' : String(value)))

/** How values of the catalog's own types are written, by their oids: int2vector, regproc, oidvector. */
const ofCatalog: Record<number, CellReader> = { 22: asVector, 24: asFunction, 30: asVector }

/** Without the zeros that a value of a `numeric` without digits has got from DuckDB. */
const asNumeric: CellReader = (value) => (value === null ? null : String(value).replace(/\.?0+$/, ''))

/**
 * A float as Postgres writes it: the shortest digits, and an exponent of two digits where the number is small or
 * has more digits than the type keeps.
 */
const asFloat =
  (precision: number): CellReader =>
  (value) => {
    const text = asText(value)
    const found = text === null ? null : /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text)
    if (found === null) return text
    const [, sign = '', whole = '', fraction = '', power = '0'] = found
    const all = whole + fraction
    const digits = all.replace(/^0+/, '').replace(/0+$/, '')
    if (digits === '') return `${sign}0`
    // The power of ten of the first digit.
    const first = whole.length - 1 - (all.length - all.replace(/^0+/, '').length) + Number(power)
    if (first < -4 || first >= precision) {
      const exponent = `${first < 0 ? '-' : '+'}${String(Math.abs(first)).padStart(2, '0')}`
      return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${exponent}`
    }
    if (first < 0) return `${sign}0.${'0'.repeat(-first - 1)}${digits}`
    const integer = digits.slice(0, first + 1).padEnd(first + 1, '0')
    return `${sign}${integer}${digits.length > first + 1 ? `.${digits.slice(first + 1)}` : ''}`
  }

/** JSON has no NaN and no infinities, so inside of nested values they become null. */
const readerOf = (type: DuckDBType): CellReader => {
  if (isUnbounded(type)) return asNumeric
  if (type.typeId === DuckDBTypeId.DOUBLE || type.typeId === DuckDBTypeId.FLOAT)
    return asFloat(type.typeId === DuckDBTypeId.DOUBLE ? 15 : 6)
  if (!isJson(type) || type.alias === 'JSON') return asText
  const mend = createMend([type], false)
  return (value) => (typeof value === 'string' ? mend(Buffer.from(value)).toString() : asText(value))
}

/** Each line is JSON and has no line break inside, so joining lines with commas makes one JSON array. */
const parseLines = (lines: string | Buffer): unknown[][] =>
  JSON.parse(`[${lines.toString().trimEnd().replaceAll('\n', ',')}]`) as unknown[][]

/** Each line of a plan is a row, as in Postgres. */
const linesOf = ([, plan]: TextRow): TextRow[] =>
  // A plan as JSON is one row.
  /^\s*[[{]/.test(plan ?? '')
    ? [[plan ?? '']]
    : (plan ?? '')
        .trimEnd()
        .split('\n')
        .map((line) => [line])

const verbTag = ({ tokens }: Plan) => tokens[0]!.text.toUpperCase()

/** Runs a statement as `/query` does, with its guard, limits and log. */
export const openQuery = async (options: QueryOptions): Promise<RowSource> => {
  const { runner, held, user, role, applicationName, sent, text } = options
  const { cancellation, timeoutMs, queryId } = options
  const timer = timeoutMs && setTimeout(() => cancellation.cancel('timeout'), timeoutMs)
  const endTime = () => clearTimeout(timer)
  try {
    const query = await runner.run({
      user,
      role,
      userAgent: applicationName === '' ? null : applicationName,
      request: { statement: sent, query_id: queryId },
      layout: 'text',
      page: {},
      cancellation,
      postgres: { held, text, admit: admitReading, readsOnly: refusalOfWrite() },
    })
    try {
      return sourceOf(query, options, endTime)
    } catch (error) {
      throw query.fail(error)
    }
  } catch (error) {
    endTime()
    throw error
  }
}

/** The rows of a query that has begun: what fails here ends it, or its connection would be taken for ever. */
const sourceOf = (
  query: RunningQuery,
  { statement, cancellation }: QueryOptions,
  endTime: () => void,
): RowSource => {
  const rows = query.rows as Rows
  const plan = query.plan!
  const withRows = hasRows(plan)
  const isPlan = isExplain(plan)
  const fields = isPlan ? [textField('QUERY PLAN')] : withRows ? fieldsOf(statement, rows) : undefined
  const readers = rows.types.map((type, at) => ofCatalog[fields?.[at]?.oid ?? 0] ?? readerOf(type))
  let isOpen = true
  let failure: unknown
  const fail = (error: unknown): unknown => {
    endTime()
    isOpen = false
    failure = query.fail(error)
    return failure
  }
  return {
    pause: () => query.turn.pause(),
    resume: () =>
      query.turn.resume().catch((error: unknown) => {
        throw fail(error)
      }),
    fields,
    async next() {
      if (failure !== undefined) throw failure
      if (!isOpen) return undefined
      try {
        const lines = await rows.next()
        if (lines !== undefined) {
          const read = parseLines(lines).map((row) => row.map((value, at) => readers[at]!(value)))
          return isPlan ? read.flatMap(linesOf) : read
        }
        endTime()
        isOpen = false
        await query.end()
        return undefined
      } catch (error) {
        throw fail(error)
      }
    },
    tag: (count) => (withRows && plan.kind !== 'change' ? `SELECT ${count}` : verbTag(plan)),
    close(reason) {
      if (!isOpen) return
      cancellation.cancel(reason)
      fail(new Error(reason))
    },
  }
}

/** The rows of an answer that the service makes without DuckDB. */
export const fixedRows = (fields: readonly Field[] | undefined, rows: TextRow[], tag: string): RowSource => {
  let left: TextRow[] | undefined = rows
  return {
    fields,
    next() {
      const all = left
      left = undefined
      return Promise.resolve(all)
    },
    tag: () => tag,
    pause: () => undefined,
    resume: () => Promise.resolve(),
    close: () => undefined,
  }
}

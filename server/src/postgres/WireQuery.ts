import type { DuckDBType } from '@duckdb/node-api'
import type { Cancellation, CancelReason } from '../sql/Cancellation.js'
import type { QueryRunner, RunningQuery } from '../sql/QueryRunner.js'
import { createMend } from '../sql/rows/mendNumbers.js'
import { isJson } from '../sql/rows/postgresText.js'
import type { Rows } from '../sql/rows/streamRows.js'
import type { HeldConnection } from '../sql/HeldConnections.js'
import type { Pausable } from '../store/ConcurrencyLimit.js'
import type { UserRole } from '../users/Identity.js'
import { admitReading, hasRows, refusalOfWrite } from './planWire.js'
import { type Field, fieldOf } from './types.js'

/** A row's values, each as Postgres writes it in text. */
export type TextRow = (string | null)[]

/** Where the rows of an answer come from. */
export interface RowSource extends Pausable {
  /** Undefined when there are none by the nature of the statement. */
  fields: readonly Field[] | undefined
  /** Some rows; undefined after the last. */
  next(): Promise<TextRow[] | undefined>
  /** What is told when all are sent. */
  tag(rows: number): string
  /** Whoever stops reading says so; nothing happens at the end or the second time. */
  close(reason: CancelReason): void
}

export interface WireQueryOptions {
  queryId: string
  runner: QueryRunner
  session: HeldConnection
  user: string
  role: UserRole
  applicationName: string
  /** As the client sent it, which is what the log shows. */
  sent: string
  /** As DuckDB reads it. */
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

/** NaN and infinities inside of JSON are none. */
const readerOf = (type: DuckDBType): CellReader => {
  if (!isJson(type) || type.alias === 'JSON') return asText
  const mend = createMend([type], false)
  return (value) => (typeof value === 'string' ? mend(Buffer.from(value)).toString() : asText(value))
}

/** Lines are JSON, so that a line's end is never inside of one. */
const parseLines = (lines: string | Buffer): unknown[][] =>
  JSON.parse(`[${lines.toString().trimEnd().replaceAll('\n', ',')}]`) as unknown[][]

const verbTag = (query: RunningQuery) => query.plan.tokens[0]!.text.toUpperCase()

/** Runs a statement as `/query` does, with its guard, limits and log. */
export const openQuery = async (options: WireQueryOptions): Promise<RowSource> => {
  const { runner, session, user, role, applicationName, sent, text, cancellation, timeoutMs, queryId } =
    options
  const timer = timeoutMs && setTimeout(() => cancellation.cancel('timeout'), timeoutMs)
  const query = await runner
    .run({
      user,
      role,
      userAgent: applicationName === '' ? null : applicationName,
      request: { statement: sent, query_id: queryId },
      layout: 'text',
      page: {},
      cancellation,
      wire: { session, text, admit: admitReading, readsOnly: refusalOfWrite() },
    })
    .catch((error: unknown) => {
      clearTimeout(timer)
      throw error
    })
  const rows = query.rows as Rows
  const readers = rows.types.map(readerOf)
  const withRows = hasRows(query.plan)
  let isOpen = true
  const fail = (error: unknown): unknown => {
    clearTimeout(timer)
    isOpen = false
    return query.fail(error)
  }
  return {
    pause: () => query.turn.pause(),
    resume: () =>
      query.turn.resume().catch((error: unknown) => {
        throw fail(error)
      }),
    fields: withRows ? rows.names.map((name, at) => fieldOf(name, rows.types[at]!)) : undefined,
    async next() {
      if (!isOpen) return undefined
      try {
        const lines = await rows.next()
        if (lines !== undefined) {
          return parseLines(lines).map((row) => row.map((value, at) => readers[at]!(value)))
        }
        clearTimeout(timer)
        isOpen = false
        await query.end()
        return undefined
      } catch (error) {
        throw isOpen ? fail(error) : error
      }
    },
    tag: (count) => (withRows && query.plan.kind !== 'change' ? `SELECT ${count}` : verbTag(query)),
    close(reason) {
      if (!isOpen) return
      cancellation.cancel(reason)
      fail(new Error(reason))
    },
  }
}

/** Rows that are known already. */
export const fixedRows = (fields: readonly Field[] | undefined, rows: TextRow[], tag: string): RowSource => {
  let left: TextRow[] | undefined = rows
  return {
    fields,
    next() {
      const taken = left
      left = undefined
      return Promise.resolve(taken)
    },
    tag: () => tag,
    pause: () => undefined,
    resume: () => Promise.resolve(),
    close: () => undefined,
  }
}

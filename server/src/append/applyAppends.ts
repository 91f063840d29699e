import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../duckdb/quote.js'
import { Unstorable } from '../wal/rejected.js'
import type { LogEntry } from '../wal/segment.js'
import { inferredDefault, readTable, tableSql, type Target } from './Target.js'
import {
  describeFields,
  type Fields,
  castField,
  addFields,
  type FieldMap,
  readRecords,
  type RecordSource,
} from './describeFields.js'
import {
  type AppendPlan,
  type Column,
  inferType,
  isWidened,
  planAppend,
  settleWidening,
} from './planAppend.js'

/** The content of an entry's `target`, as JSON. */
export interface AppendTarget {
  schema: string
  table: string
  fields: Fields
}

const alter = async (connection: DuckDBConnection, target: Target, plan: AppendPlan, isMissing: boolean) => {
  const table = tableSql(target)
  const added = plan.add.map(({ name, type }) => ({ column: quoteIdentifier(name), type }))
  const marks = (type: string) => (isWidened(type) ? ` DEFAULT ${inferredDefault}` : '')
  if (isMissing) {
    const columns = added.map(({ column, type }) => `${column} ${type}${marks(type)}`)
    await connection.run(`CREATE TABLE ${table} (${columns.join(', ')})`)
  } else
    for (const { column, type } of added) {
      await connection.run(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`)
      // Together with the column, DuckDB would write the default into every row.
      if (isWidened(type))
        await connection.run(`ALTER TABLE ${table} ALTER COLUMN ${column} SET${marks(type)}`)
    }
  for (const { column } of plan.widen) {
    await connection.run(`ALTER TABLE ${table} ALTER COLUMN ${quoteIdentifier(column)} TYPE DOUBLE`)
  }
}

interface Insert extends RecordSource {
  target: Target
}

const insert = async (connection: DuckDBConnection, { target, ...source }: Insert) => {
  const { read } = source.plan
  const columns = read.map(({ column }) => quoteIdentifier(column))
  const casts = read.map(({ field, type }) => castField(field, type))
  const { from, values, types } = readRecords(source)
  await connection.run(
    `INSERT INTO ${tableSql(target)} (${columns.join(', ')}) SELECT ${casts.join(', ')} FROM ${from}`,
    values,
    types,
  )
}

/** The columns whose type later records do not change. */
const settledNames = (columns: readonly Column[]): ReadonlySet<string> => {
  const settled = columns.filter(({ inferred, type }) => !(inferred && isWidened(type)))
  return new Set(settled.map(({ name }) => name.toLowerCase()))
}

/**
 * Whether later records would give a new column, or one that may be widened, another type than those before them have
 * given it. They are stored after these then, so that a type does not depend on what is stored together.
 */
const changesType = (settled: ReadonlySet<string>, before: FieldMap, next: Fields): boolean =>
  Object.entries(next).some(([name, kinds]) => {
    const known = before.get(name) ?? []
    if (known.length === 0 || settled.has(name.toLowerCase())) return false
    const all = [...new Set([...known, ...kinds])]
    return all.length > known.length && inferType(known) !== inferType(all)
  })

/** Reads an entry's target. The kinds of a row that is tried alone are read from the row, because the target has those of its neighbours, too. */
const readEntry = (entry: LogEntry): AppendTarget & { request?: Fields } => {
  const target = JSON.parse(entry.target!) as AppendTarget
  if (entry.isAlone !== true) return target
  const text = entry.body.toString()
  const fields = describeFields(JSON.parse(text) as Record<string, unknown>[], text)
  return { ...target, fields, request: target.fields }
}

/** Appends a batch of entries. Neighbours for one table are inserted together, with one change of its columns. */
export const applyAppends =
  (catalog: string) =>
  async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<undefined> => {
    for (let at = 0; at < entries.length;) {
      const { schema, table, fields, request } = readEntry(entries[at]!)
      const target = { catalog, schema, table }
      const state = await readTable(connection, target)
      if (state.kind === 'view') throw new Unstorable('request', `${table} is a view.`)
      if (state.kind === 'no-schema') throw new Unstorable('request', `There is no schema ${schema}.`)
      const columns = state.kind === 'table' ? state.columns : undefined
      const settled = settledNames(columns ?? [])
      const joined: FieldMap = new Map(Object.entries(fields))
      const bodies = [entries[at]!.body]
      for (at++; at < entries.length; at++) {
        const next = readEntry(entries[at]!)
        if (next.schema !== schema || next.table !== table) break
        if (changesType(settled, joined, next.fields)) break
        addFields(joined, next.fields)
        bodies.push(entries[at]!.body)
      }
      const all = Object.fromEntries(joined)
      const planned = planAppend(columns, all, request)
      const plan = planned.kind === 'problem' ? planned : await settleWidening(connection, target, planned)
      if (plan.kind === 'problem') throw new Unstorable('row', plan.message)
      await alter(connection, target, plan, state.kind === 'missing')
      await insert(connection, { target, plan, fields: all, bodies })
    }
  }

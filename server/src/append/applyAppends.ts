import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { quoteIdentifier, quoteText } from '../store/quote.js'
import type { LogEntry } from '../wal/segment.js'
import { inferredComment, readTable, tableSql, type Target } from './Target.js'
import { castText, keepDigits, keepsDigits } from './castText.js'
import type { Fields } from './describeFields.js'
import { type AppendPlan, isMoment, isNested, isWidened, planAppend } from './planAppend.js'

/** What an entry's `target` holds. */
export interface AppendTarget {
  schema: string
  table: string
  fields: Fields
}

const alter = async (connection: DuckDBConnection, target: Target, plan: AppendPlan, missing: boolean) => {
  const table = tableSql(target)
  const columns = plan.add.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`)
  if (missing) await connection.run(`CREATE TABLE ${table} (${columns.join(', ')})`)
  else for (const column of columns) await connection.run(`ALTER TABLE ${table} ADD COLUMN ${column}`)
  for (const name of plan.widen) {
    await connection.run(`ALTER TABLE ${table} ALTER COLUMN ${quoteIdentifier(name)} TYPE DOUBLE`)
  }
  for (const { name, type } of plan.add) {
    if (!isWidened(type)) continue
    const column = `${table}.${quoteIdentifier(name)}`
    await connection.run(`COMMENT ON COLUMN ${column} IS ${quoteText(inferredComment)}`)
  }
}

/** A field's value as the column's type; the cast fails where the value does not fit. */
const cast = (field: string, type: string): string => {
  const value = `(r.x).${quoteIdentifier(field)}`
  if (type === 'JSON') return value
  if (isNested(type)) return `${value}::${type}`
  // RFC 3339 allows a small t and z, DuckDB does not.
  return castText(isMoment(type) ? `upper(${value}->>'$')` : `(${value}->>'$')`, type)
}

interface Insert {
  target: Target
  plan: AppendPlan
  fields: Fields
  bodies: readonly Buffer[]
}

const insert = async (connection: DuckDBConnection, { target, plan, fields, bodies }: Insert) => {
  const shape = Object.fromEntries(plan.read.map(({ field }) => [field, 'JSON']))
  const values = plan.read.map(({ field, type }) => cast(field, type))
  const columns = plan.read.map(({ column }) => quoteIdentifier(column))
  const holdsNumbers = (field: string) =>
    fields[field]?.some((kind) => kind === 'float' || kind === 'integer')
  const exact = plan.read.filter(({ field, type }) => keepsDigits(type) && holdsNumbers(field))
  const texts = keepDigits(bodies, new Set(exact.map(({ field }) => field)))
  await connection.run(
    `INSERT INTO ${tableSql(target)} (${columns.join(', ')})
     SELECT ${values.join(', ')} FROM (
       SELECT unnest(from_json(body, ${quoteText(JSON.stringify([shape]))})) AS x
       FROM (SELECT unnest($bodies) AS body)
     ) r`,
    { bodies: listValue(texts) },
    { bodies: LIST(VARCHAR) },
  )
}

const union = (a: Fields, b: Fields): Fields => {
  const all = new Map(Object.entries(a))
  for (const [name, kinds] of Object.entries(b)) {
    all.set(name, [...new Set([...(all.get(name) ?? []), ...kinds])])
  }
  return Object.fromEntries(all)
}

/** Appends a run of entries: neighbours for one table go in together, with one change of its columns. */
export const applyAppends =
  (catalog: string) =>
  async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<undefined> => {
    for (let at = 0; at < entries.length;) {
      const { schema, table, fields } = JSON.parse(entries[at]!.target!) as AppendTarget
      let all = fields
      const bodies = [entries[at]!.body]
      for (at++; at < entries.length; at++) {
        const next = JSON.parse(entries[at]!.target!) as AppendTarget
        if (next.schema !== schema || next.table !== table) break
        all = union(all, next.fields)
        bodies.push(entries[at]!.body)
      }
      const target = { catalog, schema, table }
      const state = await readTable(connection, target)
      if (state.kind === 'no-schema' || state.kind === 'view') {
        throw new Error(state.kind === 'view' ? `${table} is a view.` : `There is no schema ${schema}.`)
      }
      const plan = planAppend(state.kind === 'table' ? state.columns : undefined, all)
      if (plan.kind === 'problem') throw new Error(`${plan.code}: ${plan.message}`)
      await alter(connection, target, plan, state.kind === 'missing')
      await insert(connection, { target, plan, fields: all, bodies })
    }
  }

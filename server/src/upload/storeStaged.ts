import type { DuckDBConnection } from '@duckdb/node-api'
import { refuse } from '../http/HttpError.js'
import { readTable, tableSql, type Target } from '../append/Target.js'
import type { Column } from '../append/planAppend.js'
import { quoteIdentifier } from '../store/quote.js'
import { inTransaction, retryConflicts } from '../store/transactions.js'
import { findColumn } from './openFile.js'
import type { FileColumn } from './textTypes.js'

export type UploadMode = 'create' | 'append' | 'upsert' | 'overwrite'

export interface StoreStaged {
  /** Its columns are c0, c1 and so on. */
  stage: string
  target: Target
  mode: UploadMode
  primaryKey: string | undefined
  columns: readonly FileColumn[]
}

const checkColumns = (columns: readonly FileColumn[], known: readonly Column[]) => {
  const missing = columns.find(({ name }) => findColumn(known, name) === undefined)
  if (missing) throw refuse(400, 'invalid-upload', `The table has no column ${JSON.stringify(missing.name)}.`)
}

/** The columns of the table that rows go into; undefined when the file makes the table. */
export const readKnownColumns = async (
  connection: DuckDBConnection,
  target: Target,
  mode: UploadMode,
): Promise<readonly Column[] | undefined> => {
  const state = await readTable(connection, target)
  if (state.kind === 'no-schema')
    throw refuse(400, 'invalid-upload', `There is no schema ${target.schema}; make it with CREATE SCHEMA.`)
  if (state.kind === 'view') throw refuse(400, 'invalid-upload', `${target.table} is a view.`)
  if (mode === 'overwrite') return undefined
  if (mode === 'create') {
    if (state.kind === 'table')
      throw refuse(400, 'invalid-upload', `The table ${target.table} exists already.`)
    return undefined
  }
  if (state.kind === 'missing')
    throw refuse(400, 'invalid-upload', `There is no table ${target.table}; use mode=create.`)
  return state.columns
}

const merge = async (
  connection: DuckDBConnection,
  given: StoreStaged,
  rows: string,
  known: readonly Column[],
) => {
  const key = findColumn(given.columns, given.primaryKey!)
  const target = findColumn(known, given.primaryKey!)
  if (key === undefined)
    throw refuse(400, 'invalid-upload', `The file has no column ${JSON.stringify(given.primaryKey)}.`)
  if (target === undefined)
    throw refuse(400, 'invalid-upload', `The table has no column ${JSON.stringify(given.primaryKey)}.`)
  const staged = `c${given.columns.indexOf(key)}`
  const empty = await connection.runAndReadAll(`SELECT count(*) FROM ${rows} WHERE ${staged} IS NULL`)
  const nulls = Number(empty.getRows()[0]![0])
  if (nulls > 0)
    throw refuse(400, 'invalid-upload', `${nulls} rows have no value in the primary key ${key.name}.`)

  const names = given.columns.map(({ name }) => quoteIdentifier(name))
  const values = names.map((_, at) => `s.c${at}`)
  const others = names.flatMap((name, at) => (given.columns[at] === key ? [] : [`${name} = s.c${at}`]))
  const update = others.length === 0 ? 'DO NOTHING' : `UPDATE SET ${others.join(', ')}`
  // Of rows with one key the last wins; MERGE itself would insert each of them.
  await connection.run(
    `MERGE INTO ${tableSql(given.target)} t USING (
       SELECT * FROM ${rows} QUALIFY row_number() OVER (PARTITION BY ${staged} ORDER BY rowid DESC) = 1
     ) s ON t.${quoteIdentifier(target.name)} = s.${staged}
     WHEN MATCHED THEN ${update}
     WHEN NOT MATCHED THEN INSERT (${names.join(', ')}) VALUES (${values.join(', ')})`,
  )
}

const store = async (connection: DuckDBConnection, given: StoreStaged): Promise<void> => {
  const { stage, target, mode, columns } = given
  const known = await readKnownColumns(connection, target, mode)
  const table = tableSql(target)
  const staged = `temp.main.${stage}`
  const names = columns.map(({ name }) => quoteIdentifier(name))
  const rows = `SELECT ${names.map((name, at) => `c${at} AS ${name}`).join(', ')} FROM ${staged}`
  if (known === undefined) {
    await connection.run(`CREATE ${mode === 'overwrite' ? 'OR REPLACE ' : ''}TABLE ${table} AS ${rows}`)
    return
  }
  // An empty list of records, into a table that is there.
  if (columns.length === 0) return
  checkColumns(columns, known)
  if (mode === 'upsert') await merge(connection, given, staged, known)
  else await connection.run(`INSERT INTO ${table} (${names.join(', ')}) ${rows}`)
}

/** Brings the staged rows into the table, all of them or none. */
export const storeStaged = (connection: DuckDBConnection, given: StoreStaged): Promise<void> =>
  retryConflicts(() => inTransaction(connection, () => store(connection, given)))

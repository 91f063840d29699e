import type { DuckDBConnection } from '@duckdb/node-api'
import { refuse, shorten } from '../http/HttpError.js'
import { readTable, tableSql, type Target } from '../append/Target.js'
import type { Column } from '../append/planAppend.js'
import { quoteIdentifier } from '../duckdb/quote.js'
import { inTransaction, retryConflicts } from '../duckdb/transactions.js'
import { findColumn } from './openFile.js'
import type { Upload, UpsertKey } from './readUpload.js'
import type { FileColumn } from './textTypes.js'

export interface KeyColumn {
  /** The column's name in the table. */
  name: string
  /** The column's name in the staged rows. */
  staged: string
}

export interface KeyColumns {
  keys: KeyColumn[]
  /** Empty without a `cursor_field`. */
  cursor: KeyColumn[]
}

interface Sides {
  columns: readonly FileColumn[]
  /** Undefined when the file makes the table. */
  known: readonly Column[] | undefined
}

const find = (name: string, { columns, known }: Sides): KeyColumn => {
  const inFile = findColumn(columns, name)
  const inTable = known === undefined ? inFile : findColumn(known, name)
  const quoted = JSON.stringify(name)
  if (inFile === undefined) throw refuse(400, 'invalid-upload', `The file has no column ${quoted}.`)
  if (inTable === undefined) throw refuse(400, 'invalid-upload', `The table has no column ${quoted}.`)
  return { name: inTable.name, staged: `c${columns.indexOf(inFile)}` }
}

/** A comma separates names, unless a column's name contains it. */
const findAll = (text: string, sides: Sides): KeyColumn[] => {
  const isOne = findColumn(sides.columns, text) !== undefined
  const names = isOne ? [text] : text.split(',').map((name) => name.trim())
  return names.map((name) => find(name, sides))
}

/** Finds the columns that `primary_key` and `cursor_field` name. */
export const readKeyColumns = ({ primaryKey, cursorField }: UpsertKey, sides: Sides): KeyColumns => {
  const keys = findAll(primaryKey, sides)
  if (new Set(keys.map(({ staged }) => staged)).size < keys.length) {
    throw refuse(400, 'invalid-parameter', `primary_key names a column twice: ${shorten(primaryKey, 200)}.`)
  }
  return { keys, cursor: cursorField === undefined ? [] : findAll(cursorField, sides) }
}

export interface StoreStaged extends Pick<Upload, 'target' | 'mode' | 'key'> {
  /** The table of the rows, whose columns are c0, c1 and so on. */
  staged: string
  columns: readonly FileColumn[]
}

const checkColumns = (columns: readonly FileColumn[], known: readonly Column[]) => {
  const missing = columns.find(({ name }) => findColumn(known, name) === undefined)
  if (missing) throw refuse(400, 'invalid-upload', `The table has no column ${JSON.stringify(missing.name)}.`)
}

/** The columns of the table that rows go into; undefined when the file makes the table. */
export const readKnownColumns = async (
  connection: DuckDBConnection,
  { target, mode }: { target: Target; mode: Upload['mode'] },
): Promise<readonly Column[] | undefined> => {
  const state = await readTable(connection, target)
  if (state.kind === 'no-schema')
    throw refuse(400, 'invalid-upload', `There is no schema ${target.schema}; make it with CREATE SCHEMA.`)
  if (state.kind === 'view') throw refuse(400, 'invalid-upload', `${target.table} is a view.`)
  if (mode === 'overwrite') return undefined
  if (state.kind === 'table') {
    if (mode === 'create') throw refuse(400, 'invalid-upload', `The table ${target.table} exists already.`)
    return state.columns
  }
  if (mode === 'append')
    throw refuse(400, 'invalid-upload', `There is no table ${target.table}; use mode=create.`)
  return undefined
}

/** Selects for each key the row with the greatest cursor; when several have it, the last of them in the file. */
const newestRows = (rows: string, { keys, cursor }: KeyColumns) => {
  const order = cursor.map(({ staged }) => `${staged} DESC NULLS LAST`)
  const partition = keys.map(({ staged }) => staged).join(', ')
  return `SELECT * FROM ${rows}
    QUALIFY row_number() OVER (PARTITION BY ${partition} ORDER BY ${[...order, 'rowid DESC'].join(', ')}) = 1`
}

const checkKeys = async (connection: DuckDBConnection, rows: string, { keys }: KeyColumns) => {
  const isEmpty = keys.map(({ staged }) => `${staged} IS NULL`).join(' OR ')
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${rows} WHERE ${isEmpty}`)
  const nulls = Number(counted.getRows()[0]![0])
  const names = keys.map(({ name }) => name).join(', ')
  if (nulls > 0)
    throw refuse(400, 'invalid-upload', `${nulls} rows have no value in the primary key ${names}.`)
}

/** Whether a row of the file is at least as new as the table's, by the first column of the cursor that differs. */
const isNewerSql = ([first, ...others]: readonly KeyColumn[]): string => {
  if (first === undefined) return 'true'
  const [given, held] = [`s.${first.staged}`, `t.${quoteIdentifier(first.name)}`]
  return `CASE WHEN ${given} IS NOT DISTINCT FROM ${held} THEN ${isNewerSql(others)}
    ELSE ${held} IS NULL OR coalesce(${given} > ${held}, false) END`
}

const merge = async (
  connection: DuckDBConnection,
  { target, columns }: StoreStaged,
  { rows, key }: { rows: string; key: KeyColumns },
) => {
  const { keys, cursor } = key
  const names = columns.map(({ name }) => quoteIdentifier(name))
  const values = names.map((_, at) => `s.c${at}`)
  const isKey = (value: string) => keys.some(({ staged }) => `s.${staged}` === value)
  const others = names.flatMap((name, at) => (isKey(values[at]!) ? [] : [`${name} = ${values[at]!}`]))
  const same = keys.map(({ name, staged }) => `t.${quoteIdentifier(name)} = s.${staged}`).join(' AND ')
  // A row without a cursor is older than every row with one. When the cursors are equal the new row is kept.
  const isNewer = cursor.length === 0 ? '' : `AND ${isNewerSql(cursor)}`
  const update = others.length === 0 ? '' : `WHEN MATCHED ${isNewer} THEN UPDATE SET ${others.join(', ')}`
  // MERGE itself would insert every row of a new key, so only the newest row of each key is given to it.
  await connection.run(
    `MERGE INTO ${tableSql(target)} t USING (${newestRows(rows, key)}) s ON ${same} ${update}
     WHEN NOT MATCHED THEN INSERT (${names.join(', ')}) VALUES (${values.join(', ')})`,
  )
}

const store = async (connection: DuckDBConnection, given: StoreStaged): Promise<void> => {
  const { staged, target, mode, columns } = given
  const known = await readKnownColumns(connection, given)
  const table = tableSql(target)
  // The file is an empty list of records, so there is nothing to store.
  if (known !== undefined && columns.length === 0) return
  if (known !== undefined) checkColumns(columns, known)
  const key = given.key && readKeyColumns(given.key, { columns, known })
  if (key !== undefined) await checkKeys(connection, staged, key)

  const names = columns.map(({ name }) => quoteIdentifier(name))
  const select = (rows: string) =>
    `SELECT ${names.map((name, at) => `c${at} AS ${name}`).join(', ')} FROM ${rows}`
  if (known === undefined) {
    const rows = key === undefined ? staged : `(${newestRows(staged, key)})`
    const create = `CREATE ${mode === 'overwrite' ? 'OR REPLACE ' : ''}TABLE ${table}`
    await connection.run(`${create} AS ${select(rows)}`)
  } else if (key !== undefined) await merge(connection, given, { rows: staged, key })
  else await connection.run(`INSERT INTO ${table} (${names.join(', ')}) ${select(staged)}`)
}

/** Stores the staged rows in the table, all of them or none. */
export const storeStaged = (connection: DuckDBConnection, given: StoreStaged): Promise<void> =>
  retryConflicts(() => inTransaction(connection, () => store(connection, given)))

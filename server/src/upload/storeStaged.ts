import { setTimeout as delay } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Refusal } from '../http/Refusal.js'
import type { Column } from '../lakehouse/planAppend.js'
import { readTable } from '../lakehouse/readColumns.js'
import { tableSql, type Target } from '../lakehouse/Target.js'
import { inTransaction } from '../store/inTransaction.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import type { FileColumn } from './openFile.js'

export type UploadMode = 'create' | 'append' | 'upsert' | 'overwrite'

export interface StoreStaged {
  stage: string
  target: Target
  mode: UploadMode
  primaryKey: string | undefined
  columns: readonly FileColumn[]
}

const maxConflicts = 10

const refuse = (message: string) => new Refusal(400, { error: 'invalid-upload', message })
const findColumn = <T extends { name: string }>(columns: readonly T[], name: string): T | undefined =>
  columns.find((column) => column.name.toLowerCase() === name.toLowerCase())

const checkColumns = (columns: readonly FileColumn[], known: readonly Column[]) => {
  const missing = columns.find(({ name }) => findColumn(known, name) === undefined)
  if (missing) throw refuse(`The table has no column ${JSON.stringify(missing.name)}.`)
}

const merge = async (
  connection: DuckDBConnection,
  given: StoreStaged,
  rows: string,
  known: readonly Column[],
) => {
  const key = findColumn(given.columns, given.primaryKey!)
  const target = findColumn(known, given.primaryKey!)
  if (key === undefined) throw refuse(`The file has no column ${JSON.stringify(given.primaryKey)}.`)
  if (target === undefined) throw refuse(`The table has no column ${JSON.stringify(given.primaryKey)}.`)
  const keyName = quoteIdentifier(key.name)
  const empty = await connection.runAndReadAll(`SELECT count(*) FROM ${rows} WHERE ${keyName} IS NULL`)
  const nulls = Number(empty.getRows()[0]![0])
  if (nulls > 0) throw refuse(`${nulls} rows have no value in the primary key ${key.name}.`)

  const names = given.columns.map(({ name }) => quoteIdentifier(name))
  const others = names.filter((name) => name !== keyName)
  const update =
    others.length === 0 ? 'DO NOTHING' : `UPDATE SET ${others.map((n) => `${n} = s.${n}`).join(', ')}`
  // Of rows with one key the last wins; MERGE itself would insert each of them.
  await connection.run(
    `MERGE INTO ${tableSql(given.target)} t USING (
       SELECT * FROM (SELECT rowid AS n, * FROM ${rows})
       QUALIFY row_number() OVER (PARTITION BY ${keyName} ORDER BY n DESC) = 1
     ) s ON t.${quoteIdentifier(target.name)} = s.${keyName}
     WHEN MATCHED THEN ${update}
     WHEN NOT MATCHED THEN INSERT (${names.join(', ')}) VALUES (${names.map((name) => `s.${name}`).join(', ')})`,
  )
}

const store = async (connection: DuckDBConnection, given: StoreStaged): Promise<void> => {
  const { stage, target, mode, columns } = given
  const state = await readTable(connection, target)
  const table = tableSql(target)
  const names = columns.map(({ name }) => quoteIdentifier(name)).join(', ')
  const staged = `temp.main.${stage}`
  const rows = `SELECT ${names} FROM ${staged}`
  if (state.kind === 'no-schema')
    throw refuse(`There is no schema ${target.schema}; make it with CREATE SCHEMA.`)
  if (state.kind === 'view') throw refuse(`${target.table} is a view.`)

  if (mode === 'create') {
    if (state.kind === 'table') throw refuse(`The table ${target.table} exists already.`)
    await connection.run(`CREATE TABLE ${table} AS ${rows}`)
  } else if (mode === 'overwrite') {
    await connection.run(`CREATE OR REPLACE TABLE ${table} AS ${rows}`)
  } else {
    if (state.kind === 'missing') throw refuse(`There is no table ${target.table}; use mode=create.`)
    checkColumns(columns, state.columns)
    if (mode === 'append') await connection.run(`INSERT INTO ${table} (${names}) ${rows}`)
    else await merge(connection, given, staged, state.columns)
  }
}

/** Brings the staged rows into the table, all of them or none. */
export const storeStaged = async (connection: DuckDBConnection, given: StoreStaged): Promise<void> => {
  for (let conflicts = 0; ;) {
    try {
      await inTransaction(connection, () => store(connection, given))
      return
    } catch (error) {
      if (error instanceof Refusal) throw error
      const message = error instanceof Error ? error.message : String(error)
      if (/conflict/i.test(message) && ++conflicts <= maxConflicts) await delay(20 * conflicts)
      else throw error
    }
  }
}

import type { DuckDBConnection } from '@duckdb/node-api'
import { refuse } from '../http/HttpError.js'
import type { Limits } from '../link/ownLimits.js'
import { openers, type UploadedFile } from './openFile.js'
import { type FileColumn, findTypes, openColumn, type TextColumn } from './textTypes.js'

export interface ToStage extends UploadedFile {
  /** How many rows a csv file has. */
  rows: number | undefined
}

export interface Staged {
  columns: FileColumn[]
  rows: number
  /** Whether a comma stands before fractions of a column. */
  hasComma: boolean
}

/** Puts a file's rows into a table, whose columns are c0, c1 and so on, so that names in the file cannot clash. */
export const stageFile = async (
  connection: DuckDBConnection,
  stage: string,
  file: ToStage,
): Promise<Staged> => {
  const create = async (columns: readonly TextColumn[], from: string) => {
    const values = columns.length === 0 ? ['0 AS c0'] : columns.map(({ value }, at) => `${value} AS c${at}`)
    await connection.run(`CREATE OR REPLACE TABLE ${stage} AS SELECT ${values.join(', ')} FROM ${from}`)
    return columns
  }
  const opened = await openers[file.format](connection, file)
  let columns = await create(opened.columns, opened.from).catch((error: unknown) => {
    if (file.known !== undefined || file.format !== 'csv') throw error
    // A later value may need another type than the first rows had: text holds all of them.
    return create(
      opened.columns.map(({ name }) => openColumn(name)),
      opened.from,
    )
  })
  if (columns.some(({ isSettled }) => !isSettled)) {
    const staged = columns.map((column, at) => ({ ...column, name: `c${at}` }))
    const names = staged.filter(({ isSettled }) => !isSettled).map(({ name }) => name)
    const mayHaveComma = file.dialect !== undefined && file.dialect.delimiter !== ','
    const found = await findTypes(connection, stage, { names, mayHaveComma, all: true })
    const settled = staged.map(({ name }) => found.find((each) => each.name === name))
    if (found.some(({ type }) => type !== 'VARCHAR'))
      await create(
        columns.map((column, at) => settled[at] ?? { ...column, value: `c${at}` }),
        stage,
      )
    columns = columns.map(({ name, ...column }, at) => ({ ...column, ...settled[at], name }))
  }
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${stage}`)
  const rows = Number(counted.getRows()[0]![0])
  const expected = opened.rows ?? file.rows ?? rows
  if (expected !== rows) {
    const message = `The file has ${expected} rows, of which ${rows} could be read. Nothing was stored.`
    throw refuse(400, 'invalid-upload', message)
  }
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows,
    hasComma: columns.some(({ hasComma }) => hasComma),
  }
}

/** What the process that reads a file is told. */
export interface ToImport extends ToStage, Limits {
  /** The file of DuckDB's that the rows go into. */
  stage: string
  memoryLimit: string
  threads: number
}

/** What it answers. */
export type FromImporter =
  | { kind: 'staged'; staged: Staged }
  | { kind: 'refused'; status: number; code: string; message: string; headers: Record<string, string> }
  | { kind: 'failed'; reason: string }

/** The table of the rows in the file of the stage. */
export const stagedTable = (catalog: string): string => `${catalog}.main.staged`

/** The folder of what DuckDB puts aside while it reads a spooled file. */
export const spillFolder = (file: string): string => `${file}_spill`

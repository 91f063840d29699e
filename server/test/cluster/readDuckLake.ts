import { isAbsolute, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { LogDatabase } from './createDatabase.js'

/** The names that DuckLake's specification has for types, and DuckDB's. */
const types: Record<string, string> = {
  int64: 'BIGINT',
  uint64: 'UBIGINT',
  varchar: 'VARCHAR',
  boolean: 'BOOLEAN',
  json: 'JSON',
  timestamptz: 'TIMESTAMPTZ',
}

const text = (value: string) => `'${value.replaceAll("'", "''")}'`

/**
 * Reads the table `events` of a DuckLake as its specification says: the newest snapshot, its schema, its table, the
 * columns, and the files without those of deleted rows. Columns are found in the files by their field ids. It shares no
 * code with the service, and reads none of the service's own tables.
 */
export const readDuckLake = async (database: LogDatabase, statement: (events: string) => string) => {
  const one = async <Row extends Record<string, unknown>>(sql: string): Promise<Row> => {
    const [row] = await database.query<Row>(sql)
    if (row === undefined) throw new Error(`Nothing is found by ${sql}`)
    return row
  }
  const { id } = await one<{ id: string }>(
    `SELECT snapshot_id AS id FROM waymark.ducklake_snapshot
     WHERE snapshot_id = (SELECT max(snapshot_id) FROM waymark.ducklake_snapshot)`,
  )
  const isNow = `${id} >= begin_snapshot AND (${id} < end_snapshot OR end_snapshot IS NULL)`
  const data = await one<{ value: string }>(
    `SELECT value FROM waymark.ducklake_metadata WHERE key = 'data_path' AND scope IS NULL`,
  )
  const schema = await one<{ schema_id: string; path: string; path_is_relative: boolean }>(
    `SELECT schema_id, path, path_is_relative FROM waymark.ducklake_schema WHERE schema_name = 'main' AND ${isNow}`,
  )
  const table = await one<{ table_id: string; path: string; path_is_relative: boolean }>(
    `SELECT table_id, path, path_is_relative FROM waymark.ducklake_table
     WHERE table_name = 'events' AND schema_id = ${schema.schema_id} AND ${isNow}`,
  )
  const columns = await database.query<{ column_id: string; column_name: string; column_type: string }>(
    `SELECT column_id, column_name, column_type FROM waymark.ducklake_column
     WHERE table_id = ${table.table_id} AND parent_column IS NULL AND ${isNow} ORDER BY column_order`,
  )
  const files = await database.query<{
    path: string
    path_is_relative: boolean
    deleted: string | null
    record_count: string
    file_size_bytes: string
  }>(
    `SELECT data.path, data.path_is_relative, del.path AS deleted, data.record_count, data.file_size_bytes
     FROM waymark.ducklake_data_file AS data
     LEFT JOIN (SELECT * FROM waymark.ducklake_delete_file WHERE ${isNow}) AS del USING (data_file_id)
     WHERE data.table_id = ${table.table_id} AND ${id} >= data.begin_snapshot
       AND (${id} < data.end_snapshot OR data.end_snapshot IS NULL) ORDER BY file_order`,
  )
  if (files.some(({ deleted }) => deleted !== null)) throw new Error('This reader knows no deleted rows.')
  const folder = [schema, table].reduce(
    (base, { path, path_is_relative: isRelative }) => (isRelative ? join(base, path) : path),
    data.value,
  )
  if (!isAbsolute(folder)) throw new Error(`${folder} is no absolute path.`)
  const paths = files.map(({ path, path_is_relative: isRelative }) =>
    isRelative ? join(folder, path) : path,
  )
  const fields = columns.map(
    ({ column_id: column, column_name: name, column_type: type }) =>
      `${column}: {name: ${text(name)}, type: ${text(types[type] ?? type)}, default_value: NULL}`,
  )
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    const events = `read_parquet([${paths.map(text).join(', ')}], schema = MAP {${fields.join(', ')}}, hive_partitioning = false)`
    const reader = await connection.runAndReadAll(statement(events))
    return { rows: reader.getRowsJson(), files, columns }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

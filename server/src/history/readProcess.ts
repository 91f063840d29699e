import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { attach } from '../duckdb/Database.js'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { HttpError } from '../http/HttpError.js'
import { endWithParent, goBehind, type Limits, limitSelf } from '../link/ownLimits.js'
import { reasonOf } from '../OperatorError.js'
import { payloadReader } from '../payloads/readPayloads.js'
import { explainReading } from '../upload/Importers.js'
import { openers } from '../upload/openFile.js'
import { quotedCopy } from '../upload/readRecords.js'
import { spillFolder } from '../upload/stageFile.js'
import { type ReadableFile, unpack } from '../upload/unpack.js'
import { crawlers } from './crawlers.js'
import { csv, mapColumns } from './csv.js'
import { ga4 } from './ga4.js'
import { matomo } from './matomo.js'
import { plausible } from './plausible.js'
import { posthog } from './posthog.js'
import {
  eventsSql,
  type Loss,
  type Reader,
  type Reading,
  Row,
  type Said,
  sumsSql,
  type Table,
  Unreadable,
} from './reading.js'
import { umami } from './umami.js'

/**
 * The process that reads an export, and ends with its import: a file may break DuckDB in ways that take everything with
 * it. The rows go into a file of DuckDB's own and are handed out in the order of time.
 */

export const readers = { plausible, umami, ga4, posthog, matomo, csv, crawlers } satisfies Record<
  string,
  Reader
>
export type Source = keyof typeof readers

/** What is read, and for which import. */
export interface ToRead extends Limits, Said {
  kind: 'read'
  /** The file as it was sent. All others that are made have names that begin with its path. */
  file: string
  /** What the client calls it. */
  name: string
  source: Source
  environment: string
  imported: string
  memoryLimit: string
  /** How much may be written to the disk. */
  mostDiskBytes: number
}

/** What an import would do. */
export interface Report {
  kind: Reading['kind']
  rows: number
  /** How many of them would be stored, apart from those that are stored already. */
  taken: number
  /** How many of those are in the file twice. */
  copies: number
  persons: number
  from: string | null
  until: string | null
  events: { name: string; rows: number }[]
  refused: { reason: string; rows: number; example: string | null }[]
  lost: Loss[]
  /** Which columns the fields are read from, for a file without names of its own. */
  map: Record<string, string> | null
  columns: string[]
  first_rows: (string | null)[][]
  payloads: unknown[]
}

/** Rows for the log, all of them checked. */
export interface Part {
  kind: 'part'
  body: string
  count: number
  refused: Record<string, number>
  isLast: boolean
}

export type ToReader = ToRead | { kind: 'next' }
export type FromReader = { kind: 'report'; report: Report } | Part | { kind: 'refused'; message: string }

/** Queries go first, and so does what stores events. */
const nice = 15

const maxColumns = 100_000

/** Opens a file in DuckDB as an upload is, so that nothing is read wrongly. */
const openTable = async (connection: DuckDBConnection, readable: ReadableFile): Promise<Table> => {
  const { name, file, format, dialect } = readable
  try {
    const { from } = await openers[format](connection, { ...readable, known: undefined, maxColumns })
    const described = await connection.runAndReadAll(`DESCRIBE FROM ${from}`)
    const columns = described
      .getRows()
      .map(([column, type]) => ({ name: column as string, type: type as string }))
    return { name, columns, from }
  } catch (error) {
    throw explain(error, { file, stage: file, dialect })
  }
}

const explain = (error: unknown, paths: Parameters<typeof explainReading>[1]) =>
  error instanceof HttpError || error instanceof Unreadable ? error : explainReading(reasonOf(error), paths)

const openDatabase = async (task: ToRead, files: readonly ReadableFile[]): Promise<DuckDBConnection> => {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
  const connection = await instance.connect()
  await attach(connection, 'stage', `${task.file}_stage`)
  const paths = files.flatMap(({ file }) => [file, quotedCopy(file)])
  for (const setting of [
    "TimeZone = 'UTC'",
    `memory_limit = ${quoteText(task.memoryLimit)}`,
    'threads = 2',
    'preserve_insertion_order = false',
    `max_temp_directory_size = '${Math.floor(task.mostDiskBytes)}B'`,
    `temp_directory = ${quoteText(spillFolder(task.file))}`,
    `allowed_paths = [${paths.map(quoteText).join(', ')}]`,
    // It knows a file by its time, which is too coarse for one whose description is changed between two looks.
    'enable_external_file_cache = false',
    'enable_external_access = false',
    'lock_configuration = true',
  ])
    await connection.run(`SET GLOBAL ${setting}`)
  return connection
}

const staged = 'stage.main.staged'
const shown = 200
const mostShown = 20

const rowsOf = async <T>(connection: DuckDBConnection, sql: string): Promise<T[]> =>
  (await connection.runAndReadAll(sql)).getRowObjectsJson() as T[]

/** What no reader has asked for, and says something. */
const findLost = async (connection: DuckDBConnection, row: Row, isAlone: boolean): Promise<Loss[]> => {
  const { others, table } = row
  if (others.length === table.columns.length)
    return [{ field: table.name, rows: null, why: 'The file is not read.' }]
  if (others.length === 0) return []
  const counts = others.map(
    ({ name }, at) => `count(nullif(${row.alias}.${quoteIdentifier(name)}::VARCHAR, '')) AS c${at}`,
  )
  const [found] = await rowsOf<Record<string, string>>(
    connection,
    `SELECT ${counts.join(', ')} FROM ${row.source}`,
  )
  return others.flatMap(({ name }, at) => {
    const rows = Number(found![`c${at}`])
    return rows === 0
      ? []
      : [{ field: isAlone ? name : `${table.name}: ${name}`, rows, why: 'It has no place here.' }]
  })
}

type Totals = Pick<Report, 'rows' | 'taken' | 'copies' | 'persons' | 'from' | 'until'>

/** Reads an export into the stage, and says what an import would do. */
const read = async (task: ToRead): Promise<Report> => {
  const { files, others } = await unpack(task)
  connection = await openDatabase(task, files)
  const tables: Row[] = []
  for (const [at, file] of files.entries()) tables.push(new Row(await openTable(connection, file), `r${at}`))
  const given = readers[task.source](tables, task)
  const paths = { ...files[0]!, stage: task.file }
  const sql = given.kind === 'events' ? eventsSql(given, task) : sumsSql(given, task)
  try {
    await connection.run(`CREATE TABLE ${staged} AS ${sql}`)
  } catch (error) {
    throw explain(error, paths)
  }
  const isTaken = 'refused IS NULL'
  const iso = (time: string) => `strftime(timezone('UTC', ${time}), '%Y-%m-%dT%H:%M:%SZ')`
  const [totals] = await rowsOf<Record<keyof Totals, string | null>>(
    connection,
    `SELECT count(*) AS rows, count(*) FILTER (${isTaken}) AS taken,
       count(*) FILTER (${isTaken}) - count(DISTINCT (event, insert_id, at_time)) FILTER (${isTaken}) AS copies,
       approx_count_distinct(person) FILTER (${isTaken}) AS persons,
       ${iso(`min(at_time) FILTER (${isTaken})`)} AS "from", ${iso(`max(at_time) FILTER (${isTaken})`)} AS "until" FROM ${staged}`,
  )
  const { from, until, ...counts } = totals!
  const numbers = Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, Number(value)]))
  const grouped = async <T extends { rows: unknown }>(query: string): Promise<T[]> =>
    (await rowsOf<T>(connection, `${query} ORDER BY rows DESC, 1 LIMIT ${mostShown}`)).map((row) => ({
      ...row,
      rows: Number(row.rows),
    }))
  const lost = [
    ...(await Promise.all(tables.map((each) => findLost(connection, each, tables.length === 1)))).flat(),
    ...(given.lostNames === undefined
      ? []
      : await grouped<Loss>(`SELECT *, 'It has no place here.' AS why FROM (${given.lostNames})`)),
    ...others.map((field) => ({ field, rows: null, why: 'The file is not read.' })),
  ]
  const [first] = tables as [Row]
  const columns = first.table.columns.map(({ name }) => name)
  const cells = columns.map((name) => `left(${quoteIdentifier(name)}::VARCHAR, ${shown})`)
  const firstRows = await connection.runAndReadAll(
    `SELECT ${cells.join(', ')} FROM ${first.table.from} LIMIT 5`,
  )
  const payloads = await rowsOf<{ payload: string }>(
    connection,
    `SELECT payload FROM ${staged} WHERE ${isTaken} ORDER BY at_time, insert_id LIMIT 3`,
  )
  return {
    kind: given.kind,
    ...(numbers as Pick<Totals, 'rows' | 'taken' | 'copies' | 'persons'>),
    from,
    until,
    events: await grouped(
      `SELECT event AS name, count(*) AS rows FROM ${staged} WHERE ${isTaken} GROUP BY 1`,
    ),
    refused: await grouped(
      `SELECT refused AS reason, count(*) AS rows, any_value(example) AS example FROM ${staged} WHERE refused IS NOT NULL GROUP BY 1`,
    ),
    lost,
    map: task.source === 'csv' ? mapColumns(first, task.map) : null,
    columns,
    first_rows: firstRows.getRows() as (string | null)[][],
    payloads: payloads.map(({ payload }) => JSON.parse(payload) as unknown),
  }
}

// Handing out.

const mostRows = 2000
const mostBytes = 4 * 2 ** 20

/** The payloads in the order of time. */
async function* payloadsOf(): AsyncGenerator<string> {
  const result = await connection.stream(
    `SELECT payload FROM ${staged} WHERE refused IS NULL ORDER BY at_time, insert_id`,
  )
  let rows = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    rows += chunk.rowCount
    for (const payload of chunk.getColumnValues(0)) yield payload as string
  }
  // A stream that breaks ends like a whole one.
  if (rows !== report.taken) throw new Error(`Only ${rows} of ${report.taken} rows could be read.`)
}

/** Keeps of some payloads those that `/track` would take, and counts why others are refused. */
const check = async (payloads: readonly string[], refused: Record<string, number>): Promise<string[]> => {
  try {
    await readPayloads(Buffer.from(`[${payloads.join(',')}]`), environments)
    return [...payloads]
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const reason = error.message.replace(/^track(?: \d+)?: /, '')
    if (payloads.length === 1) {
      refused[reason] = (refused[reason] ?? 0) + 1
      return []
    }
    const half = payloads.length >> 1
    return [
      ...(await check(payloads.slice(0, half), refused)),
      ...(await check(payloads.slice(half), refused)),
    ]
  }
}

const next = async (): Promise<Part> => {
  rest ??= payloadsOf()
  const payloads: string[] = []
  let isLast = false
  for (let bytes = 0; payloads.length < mostRows && bytes < mostBytes;) {
    const { value, done } = await rest.next()
    if (done === true) {
      isLast = true
      break
    }
    payloads.push(value)
    bytes += value.length
  }
  const refused: Record<string, number> = {}
  const taken = report.kind === 'sums' || payloads.length === 0 ? payloads : await check(payloads, refused)
  return { kind: 'part', body: `[${taken.join(',')}]`, count: taken.length, refused, isLast }
}

let connection: DuckDBConnection
let report: Report
let rest: AsyncGenerator<string> | undefined
let environments: ReadonlySet<string>
let readPayloads: ReturnType<typeof payloadReader>

const answer = async (question: ToReader): Promise<FromReader> => {
  try {
    if (question.kind === 'next') return await next()
    environments = new Set([question.environment])
    readPayloads = payloadReader('track', environments, true)
    const stop = limitSelf(question)
    report = await read(question)
    stop()
    return { kind: 'report', report }
  } catch (error) {
    return { kind: 'refused', message: reasonOf(error) }
  }
}

endWithParent()
goBehind(nice)
process.on('message', (question: ToReader) => {
  void answer(question).then((found) => process.send!(found))
})
process.send!('ready')

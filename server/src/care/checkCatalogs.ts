import type { DuckDBConnection } from '@duckdb/node-api'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hashSample, type ArchivedFile, readArchivedFiles } from '../archive/ArchivedFile.js'
import { storeVersion, allEvents } from '../schema/analyticsSchema.js'
import { analyticsCatalog, internalSchema, quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { keptWrongly } from '../schema/derivedColumns.js'
import { sessionKey, sessionTables, unfoldedEvents } from '../schema/sessionTable.js'
import { reasonOf } from '../OperatorError.js'
import { readFiles } from '../archive/allEvents.js'
import { readArchivePath } from '../archive/bindArchive.js'
import { hashMarkOf, isAsWritten, readHashMark } from '../archive/writeFile.js'

/** Reads a file, and says what is wrong; undefined when it has the bytes that were written, and the events that the store lists. */
const findFault = async (
  connection: DuckDBConnection,
  folder: string,
  { file, environment, day, events, mark }: ArchivedFile & { mark: string },
): Promise<string | undefined> => {
  const path = join(folder, file)
  if (!existsSync(path)) return 'is missing'
  try {
    if (!(await isAsWritten({ path: folder }, file))) return 'has not the bytes that were written'
    const reader = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER, count(*) FILTER (r.environment IS DISTINCT FROM $environment
         OR strftime(timezone('UTC', received_at), '%Y-%m-%d') IS DISTINCT FROM $day)::INTEGER,
         count(*) FILTER (${hashMarkOf(file) === mark ? keptWrongly : 'false'})::INTEGER
       FROM ${readFiles([path])} r`,
      { environment, day },
    )
    const [rows, misplaced, unlike] = reader.getRows()[0] as [number, number, number]
    if (rows !== events) return `has ${rows} events, and the store lists ${events}`
    if (misplaced > 0) return `has ${misplaced} events of other days or environments`
    return unlike === 0 ? undefined : `has ${unlike} events with columns that are not what the others say`
  } catch (error) {
    // A statement that fails ends its transaction, and the next file needs one.
    await connection.run('ROLLBACK')
    await connection.run('BEGIN TRANSACTION')
    return `cannot be read (${(error as Error).message.split('\n', 1)[0]})`
  }
}

/** Checks that each file that the store lists is there and has its events. */
export const checkArchive = async (connection: DuckDBConnection): Promise<Finding[]> => {
  const files = await readArchivedFiles(connection)
  if (files.length === 0) return []
  const folder = (await readArchivePath(connection))!
  const mark = await readHashMark(connection)
  const findings: Finding[] = []
  for (const file of files) {
    const fault = await findFault(connection, folder, { ...file, mark })
    if (fault !== undefined) findings.push(wrong(`${join(folder, file.file)} ${fault}.`))
  }
  const events = files.reduce((sum, file) => sum + file.events, 0)
  return findings.length > 0
    ? findings
    : [fine(`${folder}: ${files.length} files of the archive with ${events} events, as the store says.`)]
}

/** The result of one check. */
export interface Finding {
  ok: boolean
  /** One sentence that says what is right or wrong. */
  text: string
}

const fine = (text: string): Finding => ({ ok: true, text })
const wrong = (text: string): Finding => ({ ok: false, text })

const countOf = async (connection: DuckDBConnection, sql: string): Promise<bigint> =>
  (await connection.runAndReadAll(sql)).getRows()[0]![0] as bigint

/** All folded sessions. */
const folded = `(${sessionTables.map((table) => `FROM analytics.raw.${table}`).join(' UNION ALL ')})`

/** Each statement counts the rows that break its rule. */
const rules = [
  {
    rule: 'Events are after the position in the log',
    sql: `SELECT count(*) FROM ${allEvents} WHERE seq > (SELECT applied FROM analytics.raw.position)`,
  },
  {
    rule: 'Events are there twice',
    sql: `SELECT count(*) - count(DISTINCT seq) FROM ${allEvents}`,
  },
  {
    rule: 'Events have a wrong key, path or mark of a touch',
    sql: `SELECT count(*) FROM analytics.raw.events WHERE ${keptWrongly}`,
  },
  {
    rule: 'Persons count too few or too many events',
    sql: `SELECT abs((SELECT coalesce(sum(events), 0)::BIGINT FROM analytics.raw.persons)
      - (SELECT count(*) FROM ${allEvents} WHERE coalesce(distinct_id, anonymous_id) IS NOT NULL))`,
  },
  {
    rule: 'Persons have a wrong key, or are there twice',
    sql: `SELECT count(*) FILTER (WHERE person_key IS DISTINCT FROM hash(environment, person_id))
      + count(*) - count(DISTINCT person_key) FROM analytics.raw.persons`,
  },
  {
    rule: 'Sessions count too few or too many events',
    sql: `SELECT abs((SELECT coalesce(sum(events), 0)::BIGINT FROM ${folded})
      + (SELECT count(*) FROM ${unfoldedEvents} WHERE session_id IS NOT NULL)
      - (SELECT count(*) FROM ${allEvents} WHERE session_id IS NOT NULL))`,
  },
  {
    rule: 'Sessions have a wrong key, or are there twice',
    sql: `SELECT count(*) FILTER (WHERE session_key IS DISTINCT FROM ${sessionKey}
        OR id_key IS DISTINCT FROM CASE WHEN last_id IS NOT NULL THEN hash(environment, last_id) END)
      + count(*) - count(DISTINCT session_key) FROM ${folded}`,
  },
  {
    rule: 'Ids have a wrong key, or are there twice',
    sql: `SELECT count(*) FILTER (WHERE id_key IS DISTINCT FROM hash(environment, distinct_id)
        OR person_key IS DISTINCT FROM hash(environment, person_id))
      + count(*) - count(DISTINCT id_key) FROM analytics.raw.id_map`,
  },
  {
    rule: 'Ids belong to a person who is not there',
    sql: `SELECT count(*) FROM analytics.raw.id_map m
      ANTI JOIN analytics.raw.persons p ON p.person_key = m.person_key`,
  },
] as const

const positionTable = (catalog: string) =>
  catalog === analyticsCatalog
    ? 'analytics.raw.position'
    : `${quoteIdentifier(catalog)}.${internalSchema}.position`

/** The position up to which a catalog's log has been applied; 0 when the catalog has no such table yet. */
export const readPosition = async (connection: DuckDBConnection, catalog: string): Promise<number> =>
  Number(await countOf(connection, `SELECT max(applied) FROM ${positionTable(catalog)}`).catch(() => 0n))

/** Makes a finding of an error. A statement that fails ends its transaction, so the next check gets a new one. */
const orWrong = async (connection: DuckDBConnection, what: string, check: () => Promise<Finding[]>) => {
  try {
    return await check()
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => undefined)
    await connection.run('BEGIN TRANSACTION')
    return [wrong(`${what} cannot be read: ${reasonOf(error).split('\n', 1)[0]}.`)]
  }
}

const checkAnalytics = async (connection: DuckDBConnection): Promise<Finding[]> => {
  const version = Number(await countOf(connection, 'SELECT max(version)::BIGINT FROM analytics.raw.store'))
  if (version !== storeVersion) {
    return [wrong(`analytics is of store version ${version}; this waymark-server reads ${storeVersion}.`)]
  }
  const fits = `SELECT count(*) FROM analytics.raw.derived WHERE hash = (${hashSample})`
  if ((await countOf(connection, fits)) === 0n) {
    return [fine('analytics has keys of another DuckDB: the next start makes them anew; check it then.')]
  }
  const findings = [fine(`analytics is of store version ${version}.`), ...(await checkArchive(connection))]
  if (findings.some(({ ok }) => !ok)) return findings
  const before = findings.length
  for (const { rule, sql } of rules) {
    const count = await countOf(connection, sql)
    if (count > 0n) findings.push(wrong(`analytics: ${rule} (${count}).`))
  }
  if (findings.length === before) findings.push(fine('analytics: events, persons, sessions and ids agree.'))
  return findings
}

/** SQL that sums a hash of each row: equal rows have equal sums, in whatever order they are stored. */
const tableSum = (table: string) =>
  `SELECT count(*), coalesce(sum(hash(t)::HUGEINT), 0)::VARCHAR FROM ${table} t`

/** Reads every row, so that DuckDB checks the checksum of every block. */
const checkTable = async (connection: DuckDBConnection, name: readonly string[]): Promise<Finding[]> => {
  const reader = await connection.runAndReadAll(tableSum(name.map(quoteIdentifier).join('.')))
  const [count, sum] = reader.getRows()[0] as [bigint, string]
  return [fine(`${name.join('.')}: ${count} rows, checksum ${sum}.`)]
}

export interface Checked {
  findings: Finding[]
  /** The position up to which each catalog's log has been applied. */
  positions: Record<string, number>
}

/** Checks in one transaction that catalogs hold what they should. */
export const checkCatalogs = async (
  connection: DuckDBConnection,
  catalogs: readonly string[],
): Promise<Checked> => {
  await connection.run('BEGIN TRANSACTION')
  const findings: Finding[] = []
  const positions: Record<string, number> = {}
  for (const catalog of catalogs) {
    const tables = await connection.runAndReadAll(
      `SELECT schema_name, table_name FROM system.main.duckdb_tables()
       WHERE database_name = ${quoteText(catalog)} AND NOT temporary ORDER BY ALL`,
    )
    for (const [schema, table] of tables.getRows() as [string, string][]) {
      const name = [catalog, schema, table]
      findings.push(...(await orWrong(connection, name.join('.'), () => checkTable(connection, name))))
    }
    positions[catalog] = await readPosition(connection, catalog)
    if (catalog !== analyticsCatalog) continue
    findings.push(...(await orWrong(connection, catalog, () => checkAnalytics(connection))))
  }
  await connection.run('ROLLBACK')
  return { findings, positions }
}

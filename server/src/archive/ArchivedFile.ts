import type { DuckDBConnection } from '@duckdb/node-api'

export interface EventColumn {
  name: string
  /** DuckDB's name of the type. */
  type: string
}

/** The columns of events, in the table and in files. */
export const readEventColumns = async (connection: DuckDBConnection): Promise<EventColumn[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE analytics.raw.events)`,
  )
  return reader.getRowObjects() as unknown as EventColumn[]
}

/**
 * SQL that hashes texts of 0 to 63 characters, short and long ones as DuckDB keeps them apart. The result changes when
 * DuckDB hashes differently: then all hashes that were kept are wrong, those of ids and those of insert ids.
 */
export const hashSample = `
SELECT md5_number_lower(string_agg(hash(repeat('é', n), left(repeat('waymark', 10), n))::VARCHAR, ' ' ORDER BY n))
FROM range(64) AS text (n)`

/** SQL for eight signs that say how DuckDB hashes. */
export const hashMark = `SELECT printf('%08x', ((${hashSample}) % 4294967296)::UBIGINT)`

/** A file of the archive that the store lists. It holds events of one environment that were received on one day. */
export interface ArchivedFile {
  /** The path within the archive's folder. */
  file: string
  environment: string
  /** The day in UTC, such as 2026-01-31. */
  day: string
  events: number
}

/** An archive that this process reads, and may write. */
export interface ArchiveFolder {
  path: string
  /** The store's folder for files that may be lost. */
  temp: string
  /** Whether all stores that follow a log in PostgreSQL share it. */
  isShared: boolean
  /** Files that were found not to have the bytes that were written. */
  damaged: Set<string>
}

export const readArchivedFiles = async (connection: DuckDBConnection): Promise<ArchivedFile[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT file, environment, day::VARCHAR AS day, events::INTEGER AS events FROM analytics.raw.archived_files
     ORDER BY day, environment, file`,
  )
  return reader.getRowObjects() as unknown as ArchivedFile[]
}

export const addArchivedFile = async (
  connection: DuckDBConnection,
  { file, environment, day, events }: ArchivedFile,
): Promise<void> => {
  await connection.run('INSERT INTO analytics.raw.archived_files VALUES ($1, $2, $3::DATE, $4::BIGINT)', [
    file,
    environment,
    day,
    events,
  ])
}

/**
 * The events of a day (in UTC, by `received_at`) go to two kinds of files, so that a query about some days need not
 * open the files of others. One kind holds the events that happened on that day. The other holds the few that came
 * late or with a clock that is a little fast. Events whose time is further away, because of a wrong clock, stay in the
 * table: a file with them would have to be opened for every query.
 */
export interface DayPart {
  environment: string
  day: string
  late: boolean
}

const dayMs = 86_400_000
const lateDays = 7
const earlyDays = 1

const momentOf = (day: string, offset = 0) =>
  `TIMESTAMPTZ '${new Date(Date.parse(day) + offset * dayMs).toISOString()}'`

/**
 * SQL that is true for the events `e` of a part, given `$environment`. The times are in the text because DuckDB skips
 * blocks only for values that it knows when it plans.
 */
export const eventsOfPart = ({ day, late }: DayPart): string => {
  const isOn = `e."timestamp" >= ${momentOf(day)} AND e."timestamp" < ${momentOf(day, 1)}`
  const isNear = `e."timestamp" >= ${momentOf(day, -lateDays)} AND e."timestamp" < ${momentOf(day, 1 + earlyDays)}`
  return `e.environment = $environment AND e.received_at >= ${momentOf(day)} AND e.received_at < ${momentOf(day, 1)}
    AND ${late ? `${isNear} AND NOT (${isOn})` : isOn}`
}

const receivedOn = `date_trunc('day', timezone('UTC', received_at))`
const happened = `timezone('UTC', "timestamp")`

/** SQL for the parts with events in the table that were received before a moment. */
export const partsBefore = (moment: string): string => `
SELECT DISTINCT environment, strftime(${receivedOn}, '%Y-%m-%d') AS day,
  (${happened} < ${receivedOn} OR ${happened} >= ${receivedOn} + INTERVAL 1 DAY) AS late
FROM analytics.raw.events
WHERE received_at < TIMESTAMPTZ '${moment}'
  AND ${happened} >= ${receivedOn} - INTERVAL ${lateDays} DAY
  AND ${happened} < ${receivedOn} + INTERVAL ${1 + earlyDays} DAY
ORDER BY day, environment, late`

/** The types of the values in the folder names of a file's path. */
export const folderTypes = `{'environment': VARCHAR, 'day': TIMESTAMP, 'late': BOOLEAN}`

/** The folder of a part's files. The environment is escaped, because it may hold signs of paths or patterns. */
export const folderOfPart = ({ environment, day, late }: DayPart): string => {
  const name = encodeURIComponent(environment).replaceAll('*', '%2A')
  return `environment=${name}/day=${day}/late=${late}`
}

/**
 * SQL that says that a column of `r` is between two times which follow from its file's path. DuckDB concludes from
 * `until > column` and a query's `column >= x` that `until > x`, and opens no file for which that is false. It does so
 * only when the path's side is on the left, and when each comparison is followed by one of the column with a constant,
 * which makes DuckDB check its conclusions again.
 */
const isInside = (column: string, from: string, until: string): string =>
  `timezone('UTC', ${from}) <= r.${column} AND timezone('UTC', ${until}) > r.${column}
   AND r.${column} >= TIMESTAMPTZ '-infinity' AND r.${column} <= TIMESTAMPTZ 'infinity'`

/** SQL that is true for every row `r` of files of one lateness, and by which DuckDB leaves files out for a time. */
export const timesOfFiles = ({ late }: Pick<DayPart, 'late'>): string =>
  late
    ? isInside('"timestamp"', `r.day - INTERVAL ${lateDays} DAY`, `r.day + INTERVAL ${1 + earlyDays} DAY`)
    : isInside('"timestamp"', 'r.day', 'r.day + INTERVAL 1 DAY')

/** SQL that is true for every row `r` of every file, and by which DuckDB leaves files out for a time of reception. */
export const receptionOfFiles = isInside('received_at', 'r.day', 'r.day + INTERVAL 1 DAY')

/** The folder of a file's part, by its path. */
export const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'))

/** The environment of a file, by its path. */
export const environmentOfFile = (file: string): string =>
  decodeURIComponent(/^environment=([^/]*)\//.exec(file)![1]!)

/** Whether a file's events happened on other days than its own, by its path. */
export const isLateFile = (file: string): boolean => file.includes('/late=true/')

/** The day of a file, by its path. */
export const dayOfFile = (file: string): string => /\/day=([^/]*)\//.exec(file)![1]!

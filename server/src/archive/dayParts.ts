/**
 * The events of a day (in UTC, by `received_at`) go to two kinds of files, so that a question about some
 * days need not open others: those that happened on that day, and the few that came late or with a clock
 * that is a little fast. What happened further away, as a wrong clock says, stays in the table: a file
 * with it would have to be opened for every time.
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

/** What selects them as `e` by `$environment`; the moments stand in the text because DuckDB skips blocks for them. */
export const eventsOfPart = ({ day, late }: DayPart): string => {
  const isOn = `e."timestamp" >= ${momentOf(day)} AND e."timestamp" < ${momentOf(day, 1)}`
  const isNear = `e."timestamp" >= ${momentOf(day, -lateDays)} AND e."timestamp" < ${momentOf(day, 1 + earlyDays)}`
  return `e.environment = $environment AND e.received_at >= ${momentOf(day)} AND e.received_at < ${momentOf(day, 1)}
    AND ${late ? `${isNear} AND NOT (${isOn})` : isOn}`
}

const receivedOn = `date_trunc('day', timezone('UTC', received_at))`
const happened = `timezone('UTC', "timestamp")`

/** The parts that have events in the table which were received before a moment. */
export const partsBefore = (moment: string): string => `
SELECT DISTINCT environment, strftime(${receivedOn}, '%Y-%m-%d') AS day,
  (${happened} < ${receivedOn} OR ${happened} >= ${receivedOn} + INTERVAL 1 DAY) AS late
FROM analytics.raw.events
WHERE received_at < TIMESTAMPTZ '${moment}'
  AND ${happened} >= ${receivedOn} - INTERVAL ${lateDays} DAY
  AND ${happened} < ${receivedOn} + INTERVAL ${1 + earlyDays} DAY
ORDER BY day, environment, late`

/** Types of the folders' names in a file's path. */
export const folderTypes = `{'environment': VARCHAR, 'day': TIMESTAMP, 'late': BOOLEAN}`

/** The folder of a part's files; names are written so that neither a path nor a pattern ends in them. */
export const folderOfPart = ({ environment, day, late }: DayPart): string => {
  const name = encodeURIComponent(environment).replaceAll('*', '%2A')
  return `environment=${name}/day=${day}/late=${late}`
}

/**
 * That a column of `r` is between two moments which follow from its file's path. DuckDB concludes from
 * `until > column` and a question's `column >= x` that `until > x`, and opens no file for which that is
 * false: provided that the path's side stands on the left, and that a comparison of the column with a
 * constant follows for each, which makes it look again.
 */
const isInside = (column: string, from: string, until: string): string =>
  `timezone('UTC', ${from}) <= r.${column} AND timezone('UTC', ${until}) > r.${column}
   AND r.${column} >= TIMESTAMPTZ '-infinity' AND r.${column} <= TIMESTAMPTZ 'infinity'`

/** What is true of every row of every file, as `r`, and lets DuckDB leave files out. */
export const boundsOfFiles = [
  isInside(
    '"timestamp"',
    `CASE WHEN r.late THEN r.day - INTERVAL ${lateDays} DAY ELSE r.day END`,
    `CASE WHEN r.late THEN r.day + INTERVAL ${1 + earlyDays} DAY ELSE r.day + INTERVAL 1 DAY END`,
  ),
  isInside('received_at', 'r.day', 'r.day + INTERVAL 1 DAY'),
].join(' AND ')

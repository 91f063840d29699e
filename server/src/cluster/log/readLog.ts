import type { Mark, LogIdentity } from '../../wal/LogStore.js'
import type { ServerConnection } from '../ServerConnection.js'
import type { Logger } from '../../Logger.js'
import { identifyLog } from '../logSchema.js'
import { PrimaryConnection } from '../PrimaryConnection.js'
import { addressesOf } from '../../options/values.js'
import { liveSeconds } from '../erasureTables.js'
import { lastOf, readFrame, type LogEntry, restOf } from '../../wal/segment.js'

/** The length of the header of a binary COPY without extensions. */
const headBytes = 19

/** Reads the values of the rows of a binary COPY, in which no value may be null. */
export const readTuples = (chunks: readonly Buffer[]): Buffer[][] =>
  chunks.flatMap((chunk, row) => {
    let at = row === 0 ? headBytes : 0
    const columns = chunk.readInt16BE(at)
    // A row of -1 columns ends the data.
    if (columns < 0) return []
    at += 2
    const values: Buffer[] = []
    for (let column = 0; column < columns; column++) {
      const length = chunk.readInt32BE(at)
      at += 4
      values.push(chunk.subarray(at, (at += length)))
    }
    return [values]
  })

interface Wanted {
  after: number
  maxRows: number
  maxBytes: number
}

const readMs = 60_000
const saltBytes = 8
const maxGroups = 10_000

/** The server knows the length of a body without reading it, so the limits cost nothing. */
const groupsSql = ({ after, maxRows, maxBytes }: Wanted) => `
SELECT last::float8, body FROM (
  SELECT last, body, sum(rows) OVER before AS rows_before, sum(length(body)) OVER before AS bytes_before
  FROM (SELECT * FROM waymark.log WHERE last > ${after} ORDER BY last LIMIT ${maxGroups}) AS next
  WINDOW before AS (ORDER BY last ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
) AS counted
WHERE coalesce(rows_before, 0) < ${maxRows} AND coalesce(bytes_before, 0) < ${maxBytes} ORDER BY last`

/** Reads whole groups after a sequence: at least one. Only the last group may exceed the limits. */
export const readGroups = async (
  connection: ServerConnection,
  wanted: Wanted,
): Promise<{ entries: LogEntry[]; mark: Mark }> => {
  const tuples = readTuples(await connection.copyOut(groupsSql(wanted), readMs))
  const entries: LogEntry[] = []
  let { after } = wanted
  let mark: Mark | undefined
  for (const [lastBytes, body] of tuples) {
    const last = lastBytes!.readDoubleBE()
    const frame = readFrame(body!, 0, body!.subarray(0, saltBytes))
    if (frame === undefined || frame.end !== body!.length)
      throw new Error(`The log's group that ends with row ${last} is damaged.`)
    const before = last - frame.last
    if (before > after) break
    for (const entry of frame.entries) {
      const numbered = { ...entry, first: before + entry.first }
      // The first rows of an entry may be stored already.
      if (lastOf(numbered) > after) entries.push(...restOf(numbered, after))
    }
    after = last
    mark = { last, salt: Buffer.from(body!.subarray(0, saltBytes)) }
  }
  if (mark === undefined) throw new Error(`The log does not have row ${after + 1}.`)
  return { entries, mark }
}

/** The salt of the group that ends with a row, which an erase leaves as it is; undefined when there is no such group. */
const readMark = async (connection: ServerConnection, last: number): Promise<Buffer | undefined> => {
  const [row] = await connection.ask<{ salt: Buffer }>(
    `SELECT substring(body FOR ${saltBytes}) AS salt FROM waymark.log WHERE last = $1`,
    [last],
  )
  return row?.salt
}

/** `seen` is old, so that no process waits for these readers. */
const keepSql = `
WITH gone AS (
  DELETE FROM waymark.readers WHERE name LIKE 'state %' AND applied <> ALL ($1::bigint[]) RETURNING name
), forgotten AS (
  DELETE FROM waymark.lake_readers l USING gone WHERE l.name = gone.name
), files AS (
  INSERT INTO waymark.lake_readers SELECT 'state ' || at, $2::bigint FROM unnest($1::bigint[]) AS at
  ON CONFLICT (name) DO NOTHING
)
INSERT INTO waymark.readers (name, applied, joined, seen)
SELECT 'state ' || at, at, at, now() - interval '${liveSeconds} seconds' FROM unnest($1::bigint[]) AS at
ON CONFLICT (name) DO UPDATE SET seen = excluded.seen`

/**
 * Makes the log keep the rows behind these positions, and behind no others that were named before. Positions that were
 * not named before also keep the files of the shared archive as of a snapshot.
 */
export const keepForStates = async (
  connection: ServerConnection,
  positions: readonly number[],
  snapshot: number,
): Promise<void> => {
  await connection.ask(keepSql, [positions, snapshot])
}

/** Reads which log a database has, and between which rows; rejects when it cannot be reached. */
export const lookAtLog = async (url: string, logger: Logger): Promise<LogIdentity & Bounds> => {
  let found: (LogIdentity & Bounds) | undefined
  const primary = new PrimaryConnection({
    addresses: addressesOf(url),
    applicationName: 'waymark start',
    begin: async (connection) => {
      found = { ...(await identifyLog(connection, undefined)), ...(await readBounds(connection)) }
    },
    logger,
  })
  try {
    await primary.start()
  } finally {
    await primary.stop()
  }
  return found!
}

export interface Bounds {
  last: number
  /** The log no longer has the rows up to and including this one. */
  before: number
}

interface Known {
  /** The last row that the store has. */
  applied: number
  /** The mark of the last group that was read; undefined when it is not known. */
  mark: Mark | undefined
  bounds: Bounds
}

/** The rows that were pruned end where the oldest group of the log begins. */
const boundsSql = `
SELECT last::float8 AS last,
  coalesce((SELECT log.last - rows FROM waymark.log ORDER BY log.last LIMIT 1), last)::float8 AS before
FROM waymark.head`

/** The advice for a store that cannot follow a log. */
export const makeStoreAnew =
  'give it an empty data folder, with the --archive of the other query processes, or else a backup of one of them'

/** Reads between which two sequences the log has rows. */
export const readBounds = async (connection: ServerConnection): Promise<Bounds> => {
  const [bounds] = await connection.ask<Bounds>(boundsSql)
  return bounds!
}

/** Says why a store cannot go on with the log that it has followed; undefined when it can. */
export const findLoss = async (
  connection: ServerConnection,
  { applied, mark, bounds: { last, before } }: Known,
): Promise<string | undefined> => {
  if (applied > last) {
    return `The store holds rows through ${applied}, and the log ends at ${last}: a failover has lost the others; ${makeStoreAnew}.`
  }
  if (applied < before) {
    return `The store holds rows through ${applied}, and the log begins behind ${before}: it was away for too long; ${makeStoreAnew}.`
  }
  if (mark === undefined || mark.last <= before) return undefined
  const found = await readMark(connection, mark.last)
  if (found?.equals(mark.salt) === true) return undefined
  return `The store holds rows through ${applied}, and the log has other rows instead of the last of them: a failover has lost them; ${makeStoreAnew}.`
}

import type { Mark } from '../wal/LogStore.js'
import { lastOf, readFrame, type LogEntry } from '../wal/segment.js'
import { restOf } from '../wal/splitEntry.js'
import { readTuples } from './readTuples.js'
import type { ServerConnection } from './ServerConnection.js'

export interface Wanted {
  after: number
  maxRows: number
  maxBytes: number
}

const readMs = 60_000
const saltBytes = 8
const markBytes = 28
const maxGroups = 10_000

/** The length of a body is known without reading it. */
const groupsSql = ({ after, maxRows, maxBytes }: Wanted) => `
SELECT last::float8, body FROM (
  SELECT last, body, sum(rows) OVER before AS rows_before, sum(length(body)) OVER before AS bytes_before
  FROM (SELECT * FROM waymark.log WHERE last > ${after} ORDER BY last LIMIT ${maxGroups}) AS next
  WINDOW before AS (ORDER BY last ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
) AS counted
WHERE coalesce(rows_before, 0) < ${maxRows} AND coalesce(bytes_before, 0) < ${maxBytes} ORDER BY last`

/** Whole groups after a sequence: at least one, and up to the limits but for the last one's. */
export const readGroups = async (
  connection: ServerConnection,
  wanted: Wanted,
): Promise<{ entries: LogEntry[]; mark: Mark }> => {
  const tuples = readTuples(await connection.copyOut(groupsSql(wanted), readMs))
  const entries: LogEntry[] = []
  let { after } = wanted
  let mark: Mark | undefined
  for (const [place, body] of tuples) {
    const last = place!.readDoubleBE()
    const frame = readFrame(body!, 0, body!.subarray(0, saltBytes))
    if (frame === undefined || frame.end !== body!.length)
      throw new Error(`The log's group that ends with row ${last} is damaged.`)
    const before = last - frame.last
    if (before > after) break
    for (const entry of frame.entries) {
      const placed = { ...entry, first: before + entry.first }
      // A part of it may have been stored apart from the others.
      if (lastOf(placed) > after) entries.push(...restOf(placed, after))
    }
    after = last
    mark = { last, head: Buffer.from(body!.subarray(0, markBytes)) }
  }
  if (mark === undefined) throw new Error(`The log does not have row ${after + 1}.`)
  return { entries, mark }
}

/** How the group begins that ends with a row. */
export const readMark = async (connection: ServerConnection, last: number): Promise<Buffer | undefined> => {
  const [row] = await connection.ask<{ head: Buffer }>(
    `SELECT substring(body FOR ${markBytes}) AS head FROM waymark.log WHERE last = $1`,
    [last],
  )
  return row?.head
}

import type { Mark } from '../../wal/LogStore.js'
import { lastOf, readFrame, type LogEntry } from '../../wal/segment.js'
import { restOf } from '../../wal/splitEntry.js'
import type { ServerConnection } from './ServerConnection.js'

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

export interface Wanted {
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
export const readMark = async (connection: ServerConnection, last: number): Promise<Buffer | undefined> => {
  const [row] = await connection.ask<{ salt: Buffer }>(
    `SELECT substring(body FOR ${saltBytes}) AS salt FROM waymark.log WHERE last = $1`,
    [last],
  )
  return row?.salt
}

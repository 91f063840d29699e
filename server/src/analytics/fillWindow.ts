import type { DuckDBConnection } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import { allEvents } from '../schema/analyticsSchema.js'
import { momentSql } from '../duckdb/quote.js'
import { hashSample } from '../archive/ArchivedFile.js'
import { DamagedIds } from './IdRun.js'
import type { InsertIdWindow } from './InsertIdWindow.js'

interface FoundIds {
  /** Hashes of environment, name and insert id, sorted. */
  ids: BigUint64Array
  /** The sequence of each id's row. Rows with the same id are in the order of their sequences. */
  seqs: BigUint64Array
}

const valueBytes = 8

/** Reads the insert ids of the events that `FROM … WHERE …` selects, by copying the bytes in which DuckDB holds them. */
export const readInsertIds = async (connection: DuckDBConnection, events: string): Promise<FoundIds> => {
  const result = await connection.run(
    `SELECT hash(environment, event, insert_id) AS id, seq::UBIGINT AS seq ${events} AND insert_id IS NOT NULL AND imported IS NULL
     ORDER BY id, seq`,
  )
  const chunks = await result.fetchAllChunks()
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rowCount, 0)
  const columns = [0, 1].map((column) => {
    const values = new BigUint64Array(rows)
    const bytes = new Uint8Array(values.buffer)
    let at = 0
    for (const chunk of chunks) {
      const vector = duckdb.data_chunk_get_vector(chunk.chunk, column)
      const length = chunk.rowCount * valueBytes
      bytes.set(duckdb.vector_get_data(vector, length), at)
      at += length
    }
    return values
  })
  return { ids: columns[0]!, seqs: columns[1]! }
}

const rowsAtOnce = 2 ** 19

/** Says how ids are hashed, and of what: files of an older version, whose ids were without the name, are filled anew. */
const idMark = `SELECT hash((${hashSample}), 'environment, event, insert_id')`

const readHash = async (connection: DuckDBConnection): Promise<bigint> =>
  (await connection.runAndReadAll(idMark)).getRows()[0]![0] as bigint

const readNumber = async (connection: DuckDBConnection, statement: string): Promise<number | undefined> => {
  const value = (await connection.runAndReadAll(statement)).getRows()[0]?.[0]
  return value === null || value === undefined ? undefined : Number(value)
}

/**
 * Opens a window, and adds the ids that it lacks: after a crash those that are in no file, from a damaged file on those
 * that are in no whole one, and all of them when DuckDB hashes differently now. Then the ids of rows that were deleted are lost, because a hash cannot be turned back.
 */
export const fillWindow = async (connection: DuckDBConnection, window: InsertIdWindow): Promise<void> => {
  const { windowMs } = window
  await window.close()
  const applied = (await readNumber(connection, 'SELECT applied FROM analytics.raw.position')) ?? 0
  let after = window.open(applied, await readHash(connection))
  const events = `FROM ${allEvents}`
  const newestOf = (from: string) => readNumber(connection, `SELECT epoch_ms(max(received_at)) FROM ${from}`)
  // The newest event is nearly always in the table; then no file of the archive has to be read.
  const newest = (await newestOf('analytics.raw.events')) ?? (await newestOf(allEvents))
  if (newest === undefined) return
  const moment = (ms: number) => momentSql(`${ms}::BIGINT`)
  const firstUntil = (untilMs: number) =>
    readNumber(
      connection,
      `SELECT min(seq) ${events} WHERE received_at BETWEEN ${moment(untilMs - windowMs)} AND ${moment(untilMs)}`,
    )
  // One event that came while the clock was ahead would make all others too old.
  let untilMs = Math.min(newest, Date.now())
  let first = await firstUntil(untilMs)
  if (first === undefined && untilMs < newest) first = await firstUntil((untilMs = newest))
  if (first === undefined) return
  // There are older rows than the window knows, or the window has no files at all: it is filled from the start.
  if (first <= window.after || window.after === after) {
    window.clear(first - 1)
    after = 0
  }
  after = Math.max(after, first - 1)
  // A clock that was wrong leaves wrong times, so rows of the table count by their sequence alone. Old files of the archive
  // are left out by time: a start must not need them, because one may be missing.
  const since = moment(untilMs - windowMs)
  const inReach = `(FROM ${allEvents} WHERE received_at >= ${since}
    UNION ALL BY NAME FROM analytics.raw.events WHERE received_at < ${since})`
  while (after < applied) {
    const through = Math.min(after + rowsAtOnce, applied)
    const some = `FROM ${inReach} WHERE seq > ${after} AND seq <= ${through}`
    const { ids } = await readInsertIds(connection, some)
    const atMs = await readNumber(connection, `SELECT epoch_ms(max(received_at)) ${some}`)
    await window.add({ ids, through, atMs: atMs ?? newest })
    after = through
  }
}

/** The indexes of sorted ids that come earlier in the list or are in the window, which is filled again where a file is damaged. */
export const findSeen = async (
  connection: DuckDBConnection,
  window: InsertIdWindow,
  ids: BigUint64Array,
): Promise<number[]> => {
  try {
    return window.seen(ids)
  } catch (error) {
    if (!(error instanceof DamagedIds)) throw error
    await fillWindow(connection, window)
    return window.seen(ids)
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Database, checkpointRoomOf } from './Database.js'
import { DiskRoom, giveBallast, lookAtDisk, takeBallast } from '../disk/DiskRoom.js'
import { internalSchema, quoteIdentifier, quoteText } from './quote.js'
import type { Logger } from '../Logger.js'

interface OpenDiskOptions extends Pick<GivingBackOptions, 'database' | 'catalogs'> {
  folder: { path: string; temp: string }
  minFreeDiskBytes: number | undefined
  logger: Logger
  endMe(): void
  /** The disk was too full for checkpoints when DuckDB was opened, and is not any more. */
  onRoom(): void
}

/** Within this time the client of the statement gets its answer, before the engine ends. */
const answerMs = 1000

/** Shrinks what earlier statements have left on the disk, and then opens what keeps new ones from filling it. */
export const openDisk = async (
  options: OpenDiskOptions,
): Promise<{ room: DiskRoom; givingBack: GivingBack; stop(): void }> => {
  const { database, catalogs, folder, minFreeDiskBytes, logger, endMe, onRoom } = options
  const room = await DiskRoom.open(folder, minFreeDiskBytes)
  const giving = {
    database,
    catalogs,
    folder,
    room,
    onKept(catalog: string) {
      logger.error('A statement has filled the disk. The engine ends, so that DuckDB gives the room back.', {
        catalog,
      })
      setTimeout(endMe, answerMs).unref()
    },
  }
  await giveBackLeftovers(giving)
  await takeBallast(folder, room)
  if (await room.isShort()) {
    logger.warn(
      'The disk has less room than must stay free, so changes by SQL, /append and /upload are refused.',
      { min_free_bytes: room.reserveBytes },
    )
  }
  const stop = database.isCramped ? room.onceFree(2 * checkpointRoomOf(folder), onRoom) : () => undefined
  return { room, givingBack: createGivingBack(giving), stop }
}

/** DuckDB can drop blocks of files from its memory at any moment, so they are not counted. */
const statement = `SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE FROM duckdb_memory()
WHERE tag NOT IN ('BASE_TABLE', 'EXTERNAL_FILE_CACHE')`

const freeShare = 1 / 4

/** Whether DuckDB uses less than a quarter of its memory, besides blocks of files. */
export const isMemoryFree = async (connection: DuckDBConnection, memoryBytes: number): Promise<boolean> => {
  try {
    const [[bytes]] = (await connection.runAndReadAll(statement)).getRows() as [[number]]
    return bytes < freeShare * memoryBytes
  } catch {
    // There is too little memory even for this query.
    return false
  }
}

/** A file that has grown by less is left as it is. */
const leastBytes = 2 ** 22
/** A smaller file has no room worth a checkpoint. */
const largeBytes = 2 ** 26
const tries = 10
const retryMs = 100

interface GivingBackOptions {
  database: Database
  folder: { path: string }
  /** The catalogs that users' statements write to. */
  catalogs: readonly string[]
  room: DiskRoom
  /** Called when DuckDB gives no more of the room back until the engine ends. */
  onKept(catalog: string): void
}

/**
 * Does work that writes to catalogs. When it fails, the files are shrunk by what they have grown. When it drops a
 * table (`isDropping`), later writes find the table's room free.
 */
export type GivingBack = <T>(work: () => Promise<T>, isDropping?: boolean) => Promise<T>

/** Tries for a second, because a checkpoint fails while another transaction changes the catalog. */
const checkpoint = async (connection: DuckDBConnection, catalog: string): Promise<void> => {
  for (let left = tries; ; left--) {
    try {
      await connection.run(`CHECKPOINT ${quoteIdentifier(catalog)}`)
      return
    } catch (error) {
      if (left === 0) throw error
      await delay(retryMs)
    }
  }
}

/**
 * Gives the free end of a catalog's file back to the disk. DuckDB shortens a file only in a checkpoint that frees
 * its last blocks, so this writes some blocks and frees them. On a full disk they take the room of the ballast.
 */
const shrink = ({ database, folder, room }: GivingBackOptions, catalog: string): Promise<void> =>
  database.use(async (connection) => {
    giveBallast(folder)
    // When a checkpoint finds the disk full, DuckDB gives the catalog up.
    if ((await lookAtDisk(folder.path)).free < database.logBytesOf(catalog) + leastBytes) return
    const blocks = `${quoteIdentifier(catalog)}.${internalSchema}.blocks`
    try {
      await connection.run(`CREATE OR REPLACE TABLE ${blocks} AS SELECT random() FROM range(200000)`)
      await checkpoint(connection, catalog)
      await connection.run(`DROP TABLE ${blocks}`)
      await checkpoint(connection, catalog)
      await takeBallast(folder, room)
    } catch {
      // Another statement shrinks the file too, or the disk is still full. A later checkpoint gives the blocks back.
    }
  })

/** A killed engine may leave blocks at the end of a catalog's file that its header does not count. This is their length. */
const uncountedBytes = async (database: Database, catalog: string): Promise<number> => {
  const counted = await database.use(async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT total_blocks * block_size FROM pragma_database_size() WHERE database_name = ${quoteText(catalog)}`,
    )
    return Number(reader.getRows()[0]?.[0] ?? 0)
  })
  return database.bytesOf(catalog) - counted
}

/** Shrinks the catalogs' files at a start, when the disk is short or a killed engine has left blocks. */
const giveBackLeftovers = async (options: GivingBackOptions): Promise<void> => {
  const isShort = (await options.room.isShort()) || (await options.room.isFull())
  for (const catalog of options.catalogs) {
    if (isShort || (await uncountedBytes(options.database, catalog)) > leastBytes)
      await shrink(options, catalog)
  }
}

/**
 * DuckDB uses the blocks of a dropped table again only after a checkpoint, and a DROP is too small to cause one: a table
 * that is made and dropped every night would add its size to the file each time.
 */
const freeDropped = ({ database, catalogs }: GivingBackOptions): Promise<void> =>
  database.use(async (connection) => {
    for (const catalog of catalogs) {
      if (database.bytesOf(catalog) < largeBytes) continue
      // Where another change is under way for long, a later checkpoint does it.
      await checkpoint(connection, catalog).catch(() => undefined)
    }
  })

const createGivingBack =
  (options: GivingBackOptions): GivingBack =>
  async (work, isDropping = false) => {
    const { database, catalogs, room, onKept } = options
    const before = catalogs.map((catalog) => database.bytesOf(catalog))
    const hasGrown = (at: number) => database.bytesOf(catalogs[at]!) > before[at]! + leastBytes
    try {
      const result = await work()
      // On a short disk only statements that delete are begun, so there is something to give back.
      if (await room.isShort()) for (const catalog of catalogs) await shrink(options, catalog)
      else if (isDropping) await freeDropped(options)
      return result
    } catch (error) {
      for (const [at, catalog] of catalogs.entries()) {
        if (!hasGrown(at)) continue
        await shrink(options, catalog)
        // After a write that failed on a full disk DuckDB keeps the file's last block until it closes the file.
        if (hasGrown(at) && (await room.isFull())) onKept(catalog)
      }
      throw error
    }
  }

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const collectEveryMs = 50
let collecting: NodeJS.Timeout | undefined

/**
 * Collects garbage after work that failed or was given up. What DuckDB made is freed with the objects that stand for it,
 * of whose size V8 knows nothing: a hundred answers of some 10 MB each, or a row that did not fit, would wait for a
 * collection that these small objects never cause.
 */
export const collectSoon = (): void => {
  collecting ??= setTimeout(() => {
    collecting = undefined
    collectGarbage()
  }, collectEveryMs).unref()
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchiveFolder, readArchivedFiles } from '../../archive/ArchivedFile.js'
import { isThere } from '../../archive/bindArchive.js'
import { eraseFromFiles } from '../../archive/eraseFromFiles.js'
import type { Erasure } from '../../privacy/ErasureList.js'
import { chooseErased, findEvents, idsInTable, setIds } from '../../schema/personRows.js'
import type { PersonId } from '../../payloads/erasure.js'
import type { ServerConnection } from '../ServerConnection.js'
import type { Lake } from './Lake.js'
import { describeFile, type LakeFile, readLakeFiles, readOutlook, readParts } from './lakeList.js'
import { planTakeOver, type TakeOver, takeOver } from './takeOver.js'
import { makeAllEvents } from '../../archive/allEvents.js'
import { inTransaction } from '../../duckdb/transactions.js'

/**
 * Opens the part of some erases that is about shared files, for a store that carries them out; undefined when there is
 * none. The old files say which sessions and how many events are concerned. A store that was away finds them removed:
 * it takes the new files over first.
 */
export const openLakeErasure = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder | undefined,
  due: readonly Erasure[],
) => {
  const plan = due.find(({ logged }) => logged?.lake)?.logged?.lake as TakeOver | undefined
  if (archive === undefined || !plan) return undefined
  const readIsTaken = async () => {
    const reader = await connection.runAndReadAll('SELECT snapshot::DOUBLE FROM analytics.raw.archive')
    return Number(reader.getRows()[0]![0]) >= plan.snapshot
  }
  const take = () => takeOver(connection, archive, plan)
  if (!(await readIsTaken()) && plan.gone.some((file) => !existsSync(join(archive.path, file))))
    await inTransaction(connection, take)
  const isTaken = await readIsTaken()
  return {
    /** Whether the new files were taken over before. */
    isTaken,
    /** Gives the store that is written anew its files. */
    finish: () => (isTaken ? makeAllEvents(connection, archive) : take()),
  }
}

interface EraseFromLakeOptions {
  lake: Lake
  archive: ArchiveFolder
  /** The erases of one place in the log. */
  held: readonly Erasure[]
  /** The last row before them. */
  through: number
  logSecret: string
}

/** Writes the files anew that hold the persons, in the store that archives. It has come to the erase, and no further. */
const erase = async (
  connection: DuckDBConnection,
  { lake, archive, held, through, logSecret }: EraseFromLakeOptions,
): Promise<void> => {
  // Where another store has become the one that archives, its `add` may have the persons: this begins anew.
  const snapshot = lake.adopted + 1
  const own = new Set((await readArchivedFiles(connection)).map(({ file }) => file))
  const counted = await readLakeFiles(lake.connection, lake.adopted)
  // A file that retention has taken off this store's list is about to be taken off that of all, and to be removed.
  if (counted.some(({ file }) => !own.has(file)))
    throw new Error('retention takes files off the list of the archive')
  const ids: PersonId[] = []
  for (const each of held) {
    if ((await chooseErased(connection, each, logSecret)) !== undefined)
      ids.push(...(await idsInTable(connection)))
  }
  await setIds(connection, ids)
  await findEvents(connection)
  const replacements = await eraseFromFiles(connection, archive, ids)
  const begun = []
  for (const { fresh } of replacements)
    if (fresh !== undefined) begun.push(await describeFile(connection, archive, fresh.file))
  const ended = replacements.map(({ old }) => old.file)
  await lake.commitErase({
    snapshot,
    kind: 'erase',
    through,
    ended,
    begun,
    erased: held.map(({ task }) => task),
  })
}

const readSnapshots = async (connection: ServerConnection, held: readonly Erasure[]) =>
  await connection.ask<{ snapshot: number }>(
    `SELECT snapshot_id::float8 AS snapshot FROM waymark.lake_erased
     WHERE task = ANY ($1::text[])`,
    [held.map(({ task }) => task)],
  )

/** Whether a file that ended has been removed. Where the folder is away, no file is known to be. */
const isRemoved = (archive: ArchiveFolder, { file, end }: LakeFile) =>
  end !== undefined && isThere(archive) && !existsSync(join(archive.path, file))

/**
 * Sees to it that the shared files no longer hold some persons, or waits for the store that archives: rejects until that
 * is done. Gives what this store has to take over together with its own erase.
 */
export const eraseFromLake = async (
  connection: DuckDBConnection,
  options: EraseFromLakeOptions,
): Promise<TakeOver> => {
  const { lake, archive, held, through } = options
  await lake.look()
  let rows = await readSnapshots(lake.connection, held)
  if (rows.length < held.length) {
    if (!lake.isArchiver)
      throw new Error('the process that archives has not erased the person from its files yet')
    await lake.write(() => erase(connection, options))
    rows = await readSnapshots(lake.connection, held)
  }
  const snapshot = Math.max(...rows.map((row) => row.snapshot))
  const { connection: server, adopted } = lake
  if (adopted >= snapshot) return { snapshot, gone: [], fresh: [], parts: [] }
  // Another store may have come to the erases of one place one by one: then there are several snapshots, and maybe files
  // of events before them in between. The first of them is one of these erases, unless something older waits.
  const { changes } = (await readOutlook(server, adopted))!
  for (const change of changes) {
    if (change.kind === 'erase' && change.through >= through) break
    // A store that was away takes it over with the erase when the files of one that is older are removed since.
    const isGone = (await readLakeFiles(server, change.snapshot)).some((file) => isRemoved(archive, file))
    if (!isGone || change.through > through)
      throw new Error(`the store has not taken over the archive's snapshot ${change.snapshot} yet`)
  }
  // A later erase may have removed files of this one, for a store that was away: then that one's files are taken.
  for (const change of changes.filter((each) => each.snapshot >= snapshot)) {
    if (change.kind === 'add' && change.through > through) break
    const plan = await planTakeOver(connection, {
      snapshot: change.snapshot,
      before: adopted,
      files: await readLakeFiles(server, change.snapshot),
      parts: await readParts(server, { after: adopted, through: change.snapshot }),
    })
    if (!plan.fresh.some((file) => isRemoved(archive, file))) return plan
  }
  throw new Error(
    'files were removed by a later erase, which this process has missed; make its data folder anew',
  )
}

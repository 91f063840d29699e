import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchiveFolder, type ArchivedFile, readArchivedFiles } from '../../archive/ArchivedFile.js'
import { listFiles, removeOthers } from '../../archive/lookForMissing.js'
import { isBusy, isHeard } from '../erasureTables.js'
import type { ServerConnection } from '../ServerConnection.js'
import type { Chore } from '../../duckdb/Upkeep.js'
import type { Lake } from './Lake.js'
import { readLakeFiles } from './lakeList.js'

const dayMs = 86_400_000

/** How many days events are kept, by environment. */
export type RetentionDays = Readonly<Record<string, number>>

/** Whether retention deletes the events of a file within so many days, or may have done so. */
export const isOlder = ({ environment, day }: ArchivedFile, kept: RetentionDays, within: number): boolean =>
  Date.parse(day) < (Math.floor(Date.now() / dayMs) - (kept[environment] ?? Infinity) + within) * dayMs

/**
 * Takes the files off the list of all stores that retention has taken off the list of this one, which archives. Retention
 * of each store leaves the files themselves where they are.
 */
const retire = async (
  connection: DuckDBConnection,
  { lake, retentionDays }: { lake: Lake; retentionDays: RetentionDays },
): Promise<void> => {
  const own = new Set((await readArchivedFiles(connection)).map(({ file }) => file))
  const counted = await readLakeFiles(lake.connection, lake.adopted)
  const ended = counted.filter((each) => !own.has(each.file) && isOlder(each, retentionDays, 0))
  // Each store that has such a file on its list has its events, however far it has come in the log.
  if (ended.length > 0)
    await lake.commit({ kind: 'retire', through: 0, ended: ended.map(({ file }) => file), begun: [] })
}

export const retireFromLake = (options: { lake: Lake; retentionDays: RetentionDays }): Chore => ({
  failure: 'Files of the archive that are too old could not be taken off its list.',
  async run(connection) {
    if (options.lake.isArchiver) await retire(connection, options)
  },
})

/** A query that has begun may read a file for so long after it is off the list. */
const graceMinutes = 60

/** The snapshot that every store has taken over which the log still knows. */
const reached = `(SELECT min(l.adopted) FROM waymark.lake_readers l JOIN waymark.readers r USING (name))`

/** Forgets snapshots that no store asks for any more. */
const forgetSql = `
DELETE FROM waymark.ducklake_snapshot WHERE snapshot_id < ${reached}
  AND snapshot_time < now() - interval '${graceMinutes} minutes'
  AND snapshot_id < (SELECT max(snapshot_id) FROM waymark.ducklake_snapshot);
DELETE FROM waymark.ducklake_snapshot_changes
  WHERE snapshot_id < (SELECT min(snapshot_id) FROM waymark.ducklake_snapshot)`

/** Files of which no kept snapshot has any events. */
const endedSql = `
SELECT path FROM waymark.ducklake_data_file
WHERE end_snapshot <= (SELECT min(snapshot_id) FROM waymark.ducklake_snapshot)`

const unlistSql = `
WITH gone AS (DELETE FROM waymark.ducklake_data_file WHERE path = ANY ($1::text[]) RETURNING data_file_id)
DELETE FROM waymark.ducklake_file_column_stats WHERE data_file_id IN (SELECT data_file_id FROM gone)`

const removeEnded = async (connection: ServerConnection, { path: folder }: ArchiveFolder): Promise<void> => {
  await connection.ask(forgetSql)
  const paths = (await connection.ask<{ path: string }>(endedSql)).map(({ path }) => path)
  for (const path of paths) rmSync(join(folder, path), { force: true })
  await connection.ask(unlistSql, [paths])
}

interface Place {
  lake: Lake
  archive: ArchiveFolder
}

/**
 * Removes files that no snapshot has ever had: a kill leaves them. What is on its way to a snapshot is on no list either,
 * so nothing is removed while there is such a file. Resolves to whether it was done.
 */
const removeUnlisted = async ({ lake, archive: { path: folder } }: Place): Promise<boolean> => {
  if (lake.isWriting) return false
  const found = listFiles(folder)
  const listed = await lake.connection.ask<{ path: string }>('SELECT path FROM waymark.ducklake_data_file')
  removeOthers(
    folder,
    found,
    listed.map(({ path }) => path),
  )
  return true
}

/** Stores that were heard of a short time ago, or are busy with an erase, which takes them away for a while. */
const isLive = `(${isHeard} OR ${isBusy})`

const erasedSql = `
SELECT task, snapshot_id::float8 AS snapshot, array(
  SELECT path FROM waymark.ducklake_data_file f WHERE f.end_snapshot <= e.snapshot_id
) AS paths
FROM waymark.lake_erased e
WHERE NOT removed AND snapshot_id <= (
  SELECT min(l.adopted) FROM waymark.lake_readers l JOIN waymark.readers r USING (name) WHERE ${isLive})`

/**
 * Removes all files that ended, once every store that is there has taken over what an erase has left: also those that
 * ended for another reason may hold the person.
 */
export const removeErased = ({ lake, archive }: Place): Chore => ({
  failure: 'The old files of an erased person could not be removed from the archive; it is tried again.',
  async run() {
    if (!lake.isArchiver) return
    const { connection } = lake
    const due = await connection.ask<{ task: string; paths: string[] }>(erasedSql)
    if (due.length === 0) return
    for (const path of due.flatMap(({ paths }) => paths)) rmSync(join(archive.path, path), { force: true })
    // A process that was killed may have left a file with the person's events.
    if (!(await removeUnlisted({ lake, archive }))) return
    await connection.ask('UPDATE waymark.lake_erased SET removed = true WHERE task = ANY ($1::text[])', [
      due.map(({ task }) => task),
    ])
  },
})

const cleanEveryMs = 3_600_000

/** Removes the files that no store needs any more, in the one store that archives: once it does so, and then every hour. */
export const cleanLake = ({ lake, archive }: Place): Chore => {
  let cleanedAt = -Infinity
  return {
    failure: 'Files of the archive that are not on its list could not be removed.',
    async run() {
      if (!lake.isArchiver) cleanedAt = -Infinity
      else if (performance.now() - cleanedAt > cleanEveryMs) {
        // No other process writes files as long as this connection is open, because it holds the lock.
        await removeEnded(lake.connection, archive)
        if (await removeUnlisted({ lake, archive })) cleanedAt = performance.now()
      }
    },
  }
}

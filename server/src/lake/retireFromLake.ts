import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchivedFile, readArchivedFiles } from '../archive/ArchivedFile.js'
import type { Chore } from '../store/Upkeep.js'
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
export const retire = async (
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

import type { DuckDBConnection } from '@duckdb/node-api'
import { readArchivedFiles } from '../archive/ArchivedFile.js'
import type { Chore } from '../store/Upkeep.js'
import type { Lake } from './Lake.js'
import { readLakeFiles } from './lakeList.js'

/**
 * Takes the files off the list of all stores that retention has taken off the list of this one, which archives. Retention
 * of each store leaves the files themselves where they are.
 */
export const retire = async (connection: DuckDBConnection, lake: Lake): Promise<void> => {
  const own = new Set((await readArchivedFiles(connection)).map(({ file }) => file))
  const counted = await readLakeFiles(lake.connection, lake.adopted)
  const ended = counted.map(({ file }) => file).filter((file) => !own.has(file))
  // Each store that has such a file on its list has its events, however far it has come in the log.
  if (ended.length > 0) await lake.commit({ kind: 'retire', through: 0, ended, begun: [] })
}

export const retireFromLake = ({ lake }: { lake: Lake }): Chore => ({
  failure: 'Files of the archive that are too old could not be taken off its list.',
  async run(connection) {
    if (lake.isArchiver) await retire(connection, lake)
  },
})

import type { InsertIdWindow } from '../analytics/InsertIdWindow.js'
import type { IngestLink } from '../link/IngestLink.js'
import type { Database } from '../store/Database.js'
import type { DataFolder } from '../store/DataFolder.js'
import type { Applier } from '../wal/Applier.js'
import type { WriteAheadLog } from '../wal/WriteAheadLog.js'
import { readErased } from './duties.js'
import type { ErasureOutcome, ErasureState } from './erasure.js'
import type { ErasureList } from './ErasureList.js'
import { Erasures } from './Erasures.js'
import { choosePerson } from './personRows.js'
import { findObstacle } from './rewriteStore.js'

export interface OpenErasuresOptions {
  list: ErasureList
  /** What became of those that were due at the start and are not in the log. */
  ended: readonly ErasureOutcome[]
  folder: DataFolder
  database: Database
  link: IngestLink
  window: InsertIdWindow
  /** That of analytics; it is opened later. */
  applier(): Applier
  restart(): void
}

/** How long rows of lakehouse catalogs may take to be stored before an erase goes on without them. */
const emptyWaitMs = 60_000

/** So that no file of a log holds what was in it until now. */
export const emptyLog = async (log: WriteAheadLog, applier: Applier): Promise<void> => {
  const through = await log.seal()
  if (await applier.reached(through, emptyWaitMs)) await log.remove(through)
}

export const openErasures = async (options: OpenErasuresOptions): Promise<Erasures> => {
  const { list, ended, folder, database, link, window, applier, restart } = options
  const done = await database.use(readErased)
  return new Erasures({
    list,
    finished: [
      ...ended,
      ...[...done].map(([task, each]): ErasureState => ({ task, state: 'done', ...each })),
    ],
    applied: () => applier().applied,
    isKnown: (erasure) => database.use((connection) => choosePerson(connection, erasure)),
    findObstacle: () => findObstacle(folder),
    async restart() {
      // A second copy of what is erased is known by its insert id all the same.
      await window.save()
      restart()
    },
    onLifted: () => applier().wake(),
    tell: (state) => link.tell({ kind: 'erasure', state }),
  })
}

import type { InsertIdWindow } from '../analytics/InsertIdWindow.js'
import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import { eraseFromLake } from '../cluster/lake/eraseFromLake.js'
import type { Lake } from '../cluster/lake/Lake.js'
import type { IngestLink } from '../link/IngestLink.js'
import type { Logger } from '../Logger.js'
import type { LogFollower } from '../cluster/log/LogFollower.js'
import type { Database } from '../duckdb/Database.js'
import type { DataFolder } from '../disk/DataFolder.js'
import type { Applier } from '../wal/Applier.js'
import type { LogStore } from '../wal/LogStore.js'
import type { WriteAheadLog } from '../wal/WriteAheadLog.js'
import { readErased } from '../schema/duties.js'
import type { ErasureOutcome, ErasureState } from '../payloads/erasure.js'
import type { ErasureList } from './ErasureList.js'
import { Erasures } from './Erasures.js'
import { LoggedErasures } from '../cluster/LoggedErasures.js'
import { chooseErased, choosePerson } from './personRows.js'
import { findObstacle } from './rewriteStore.js'

export interface OpenErasuresOptions {
  list: ErasureList
  /** The outcomes of the erasures that were due at the start and are not in `privacy_log`. */
  ended: readonly ErasureOutcome[]
  folder: DataFolder
  database: Database
  link: IngestLink
  window: InsertIdWindow
  /** The applier of analytics, which is opened later. */
  applier(): Applier
  restart(): void
}

/** How long rows of lakehouse catalogs may take to be stored before an erasure goes on without them. */
const emptyWaitMs = 60_000

/** Removes the files of a log once their rows are stored, because they may hold rows of an erased person. */
export const emptyLog = async (log: WriteAheadLog, applier: Applier): Promise<void> => {
  const through = await log.seal()
  if (await applier.reached(through, emptyWaitMs)) await log.remove(through)
}

export interface OpenLoggedErasuresOptions extends Pick<
  OpenErasuresOptions,
  'list' | 'folder' | 'database' | 'window' | 'applier' | 'restart'
> {
  store: LogStore
  follower(): LogFollower
  /** The store's part in an archive that all stores share. It is opened later. */
  lake(): Lake
  /** Undefined where the store has no archive. */
  archive: ArchiveFolder | undefined
  logger: Logger
}

/** The erases that are entries of a log in PostgreSQL. */
export const openLoggedErasures = (options: OpenLoggedErasuresOptions): LoggedErasures => {
  const { list, folder, database, window, applier, restart, store, follower, lake, archive, logger } = options
  const secret = () => store.followed!.secret
  return new LoggedErasures({
    list,
    follower,
    secret,
    logger,
    reader: store.readerName,
    applied: () => applier().applied,
    isKnown: (erasure) =>
      database.use(async (connection) => (await chooseErased(connection, erasure, secret())) !== undefined),
    readErased: () => database.use(readErased),
    eraseFromLake:
      archive &&
      ((held, through) =>
        database.use((connection) =>
          eraseFromLake(connection, { lake: lake(), archive, held, through, logSecret: secret() }),
        )),
    findObstacle: () => findObstacle(folder),
    async restart() {
      await window.save()
      restart()
    },
  })
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
      // After the erasure the insert ids of erased events are still known, so that a second copy is not stored.
      await window.save()
      restart()
    },
    onLifted: () => applier().wake(),
    tell: (state) => link.tell({ kind: 'erasure', state }),
  })
}

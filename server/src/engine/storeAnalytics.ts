import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { applyAnalytics } from '../analytics/applyAnalytics.js'
import { fillWindow } from '../analytics/fillWindow.js'
import { InsertIdWindow } from '../analytics/InsertIdWindow.js'
import { removeUncounted } from '../archive/lookForMissing.js'
import { Lake } from '../cluster/lake/Lake.js'
import type { Cleanups } from '../Cleanups.js'
import type { IngestLink } from '../link/IngestLink.js'
import type { Logger } from '../Logger.js'
import type { CompleteOptions } from '../options/flags.js'
import { addressesOf } from '../options/values.js'
import { postgresSource } from '../cluster/log/postgresSource.js'
import type { ErasureOutcome, ErasureState } from '../payloads/erasure.js'
import type { ErasureList } from '../privacy/ErasureList.js'
import { AskedErasures, Erasures, type ErasureSource } from '../privacy/Erasures.js'
import type { ServerConnection } from '../cluster/ServerConnection.js'
import { lockKeys } from '../cluster/logSchema.js'
import { LoggedErasures } from '../cluster/LoggedErasures.js'
import { eraseFromLake } from '../cluster/lake/eraseFromLake.js'
import { deleteFile } from '../privacy/deleteDay.js'
import { findObstacle } from '../privacy/rewriteStore.js'
import { chooseErased } from '../schema/personRows.js'
import { readErased } from '../schema/duties.js'
import { StateWriter } from '../cluster/state/writeStates.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import type { OneAtATime } from '../duckdb/transactions.js'
import type { Database } from '../duckdb/Database.js'
import type { CatalogApplier, LogSource } from '../wal/CatalogApplier.js'
import type { TaskIds } from '../wal/TaskIds.js'
import type { Appliers } from './Appliers.js'
import { archiveFolderOf } from '../archive/bindArchive.js'
import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import { openRetentionArchive } from '../privacy/retention.js'
import { DataFolder } from '../disk/DataFolder.js'
import { giveBallast } from '../disk/DiskRoom.js'
import { LogStore } from '../wal/LogStore.js'

interface LocalSourceOptions {
  store: LogStore
  /** The link to the process that writes the log. */
  link: IngestLink
  taskIds: TaskIds
  syncWaitMs: number
  /** The last row that may be stored for now: a pending erasure holds back the rows after it. */
  limit(): number
}

/** The accept log in files of the data folder. */
const localSource = ({ store, link, taskIds, syncWaitMs, limit }: LocalSourceOptions): LogSource => {
  const number = store.numberOf(analyticsCatalog)
  let durable = 0
  return {
    open: () => store.reader(analyticsCatalog, () => Math.min(durable, limit())),
    pruned: store.trimmedOf(analyticsCatalog),
    taskIdOf: (last) => taskIds.issue({ log: number, last }),
    lastOfTask: (taskId) => taskIds.read(taskId)?.last,
    begin(applier) {
      const grow = (last: number) => {
        durable = Math.max(durable, last)
        applier.wake()
      }
      link.on('grown', (message) => grow(message.durable))
      link.on('erase', ({ through }) => grow(through))
      link.on('wanted', ({ sequence }) => void applier.reached(sequence, syncWaitMs))
    },
    // `LogNews` already sends this news, for all logs.
    onApplied: () => undefined,
    onSetAside: () => undefined,
    // A restored backup begins a new log, or is given the files of this one by --logs: nothing is kept for it.
    keepLog: () => Promise.resolve(),
  }
}

interface FoundStore {
  folder: DataFolder
  archive: ArchiveFolder | undefined
  /** Where events go that retention takes out of the store. */
  exportTo: ReturnType<typeof openRetentionArchive>
  acceptLog: LogStore
}

const pollMs = 100

/** The ingest process makes the log that the engine reads; a log in PostgreSQL is there already. */
const whenReadable = async (
  folder: DataFolder,
  { catalogs, log }: Pick<CompleteOptions, 'catalogs' | 'log'>,
): Promise<LogStore> => {
  for (;;) {
    const store = LogStore.openToRead(folder.acceptLog, [analyticsCatalog, ...catalogs])
    if (store !== undefined && (log !== undefined || store.isBegun(analyticsCatalog))) return store
    await delay(pollMs)
  }
}

/**
 * Checks the folders that the engine works in, and waits for the log that it reads.
 *
 * @param shared the log, where this process has it open already
 * @throws OperatorError when a folder is damaged or cannot be used
 */
export const findStore = async (
  options: Pick<CompleteOptions, 'dataFolder' | 'retentionArchive' | 'archiveFolder' | 'log' | 'catalogs'>,
  shared: LogStore | undefined,
): Promise<FoundStore> => {
  const folder = new DataFolder(options.dataFolder)
  folder.check()
  giveBallast(folder)
  const exportTo = openRetentionArchive(options.retentionArchive, folder)
  const archive = archiveFolderOf(options.archiveFolder, folder, options.log !== undefined)
  return { folder, archive, exportTo, acceptLog: shared ?? (await whenReadable(folder, options)) }
}

interface StoreAnalyticsOptions
  extends
    Pick<FoundStore, 'folder' | 'archive' | 'acceptLog'>,
    Pick<CompleteOptions, 'log' | 'logReadersKeptMs' | 'syncWaitMs' | 'insertIdWindowMs'> {
  database: Database
  appliers: Appliers
  link: IngestLink
  taskIds: TaskIds
  logger: Logger
  cleanups: Cleanups
  oneAtATime: OneAtATime
  erasureList: ErasureList
  /** Erasures that were carried out before the store was opened. */
  ended: readonly ErasureOutcome[]
  /** Closes the engine and starts another one. */
  restart(): void
  /** The log in PostgreSQL can no longer be followed, and why. */
  onLogLost(reason: string): void
}

/**
 * Begins to store accepted events, identifies and aliases. An erasure of a person waits for what was accepted before
 * it; `erasures` knows those that wait.
 */
export const storeAnalytics = async (
  options: StoreAnalyticsOptions,
): Promise<{
  erasures: Erasures
  lake: Lake | undefined
  states: StateWriter | undefined
  /** The last row of the log that is stored. */
  applied(): number
  /** Whether this process does what one of all on the log must do. */
  isFirst(): Promise<boolean>
}> => {
  const { log: url, logReadersKeptMs, syncWaitMs, insertIdWindowMs } = options
  const { folder, archive, acceptLog, database, appliers, link, taskIds, logger, cleanups } = options
  const { oneAtATime, erasureList: list, ended, restart, onLogLost } = options

  const window = new InsertIdWindow({ folder: folder.insertIds, windowMs: insertIdWindowMs })
  cleanups.add(() => window.close())
  const reader = await database.connect()
  // Nobody is told that a person is erased as long as a file of the archive may hold the person's events.
  if (archive?.isShared === false) await removeUncounted(reader, archive)
  await fillWindow(reader, window)
  reader.closeSync()

  const held = { catalog: analyticsCatalog, schema: 'raw', oneAtATime }
  const secret = () => acceptLog.followed?.secret
  const open = (waiting: ErasureSource) =>
    new Erasures({
      list,
      source: waiting,
      logger,
      applied: () => analytics.applied,
      isKnown: (erasure) =>
        database.use(async (connection) => (await chooseErased(connection, erasure, secret())) !== undefined),
      findObstacle: () => findObstacle(folder),
      async restart() {
        // After the erasure the insert ids of erased events are still known, so that a second copy is not stored.
        await window.save()
        restart()
      },
    })
  const openLocal = async () => {
    const done = [...(await database.use(readErased))]
    const asked = new AskedErasures({
      list,
      finished: [...ended, ...done.map(([task, each]): ErasureState => ({ task, state: 'done', ...each }))],
      tell: (state) => link.tell({ kind: 'erasure', state }),
      onLifted: () => analytics.wake(),
    })
    const erasures = open(asked)
    link.on('erase', ({ requests, through }) => {
      asked.take(requests, through)
      erasures.check()
    })
    const limit = () => asked.through ?? Infinity
    const source = localSource({ store: acceptLog, link, taskIds, syncWaitMs, limit })
    return { erasures, source, states: undefined, isFirst: () => Promise.resolve(true) }
  }
  const openShared = (logUrl: string) => {
    const source = postgresSource({
      url: logUrl,
      logReadersKeptMs,
      syncWaitMs,
      store: acceptLog,
      logger,
      onLost: onLogLost,
      place: `${hostname()}:${folder.path}`,
      onErase(point) {
        logged.take(point)
        erasures.check()
      },
    })
    const { follower } = source
    const logged = new LoggedErasures({
      list,
      follower,
      reader: acceptLog.readerName,
      secret: () => secret()!,
      readErased: () => database.use(readErased),
      eraseFromLake:
        archive &&
        ((persons, through) =>
          database.use((connection) =>
            eraseFromLake(connection, { lake: lake!, archive, held: persons, through, logSecret: secret()! }),
          )),
    })
    const erasures = open(logged)
    const states =
      archive &&
      new StateWriter({
        archive,
        folder,
        held,
        logger,
        followed: () => acceptLog.followed!,
        connection: () => (follower().isConnected ? follower().connection : undefined),
        isArchiver: () => lake!.isArchiver,
      })
    cleanups.add(() => states?.close())
    let locked: ServerConnection | undefined
    // A connection that is gone has given its lock back.
    const isFirst = async () => {
      if (!follower().isConnected) return false
      const { connection } = follower()
      if (locked === connection) return true
      const [lock] = await connection.ask<{ done: boolean }>(
        `SELECT pg_try_advisory_lock(${lockKeys.alerts}) AS done`,
      )
      if (lock?.done === true) locked = connection
      return lock?.done === true
    }
    return { erasures, source, states, isFirst }
  }
  const { erasures, source, states, isFirst } = url === undefined ? await openLocal() : openShared(url)
  const { applier: analytics, deadLetters }: CatalogApplier = await appliers.open(
    acceptLog.numberOf(analyticsCatalog),
    {
      ...source,
      ...held,
      applyEntries: applyAnalytics({ window }),
    },
    {
      onApplied(through, tookMs) {
        source.onApplied(through, tookMs)
        erasures.check()
        lake?.stored()
      },
      onSetAside: (letter) => source.onSetAside(letter),
    },
  )
  cleanups.add(() => erasures.stop())
  const lake =
    url === undefined || archive === undefined
      ? undefined
      : new Lake({
          addresses: addressesOf(url),
          log: acceptLog.followed!.id,
          reader: acceptLog.readerName,
          archive,
          database,
          oneAtATime,
          logger,
          deleteFile,
          applied: () => analytics.applied,
        })
  cleanups.add(async () => lake?.close())
  await lake?.start()
  source.begin(analytics, deadLetters.all())
  return { erasures, lake, states, applied: () => analytics.applied, isFirst }
}

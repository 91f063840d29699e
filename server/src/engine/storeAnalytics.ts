import { hostname } from 'node:os'
import { applyAnalytics } from '../analytics/applyAnalytics.js'
import { fillWindow } from '../analytics/insertIds.js'
import { InsertIdWindow } from '../analytics/InsertIdWindow.js'
import { removeUncounted } from '../archive/removeUncounted.js'
import { Lake } from '../lake/Lake.js'
import type { Cleanups } from '../Cleanups.js'
import type { IngestLink } from '../link/IngestLink.js'
import type { Logger } from '../Logger.js'
import type { CompleteOptions } from '../options/ServerOptions.js'
import { addressesOf } from '../postgresLog/readLogUrl.js'
import { postgresSource } from '../postgresLog/postgresSource.js'
import type { ErasureOutcome } from '../privacy/erasure.js'
import type { ErasureList } from '../privacy/ErasureList.js'
import type { Erasures } from '../privacy/Erasures.js'
import type { LoggedErasures } from '../privacy/LoggedErasures.js'
import { openErasures, openLoggedErasures } from '../privacy/openErasures.js'
import { StateWriter } from '../state/writeStates.js'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import type { OneAtATime } from '../store/createMutex.js'
import type { Database } from '../store/Database.js'
import type { CatalogApplier } from '../wal/CatalogApplier.js'
import { localSource } from '../wal/localSource.js'
import type { TaskIds } from '../wal/TaskIds.js'
import type { Appliers } from './Appliers.js'
import type { FoundStore } from './findStore.js'

export interface StoreAnalyticsOptions extends Pick<FoundStore, 'folder' | 'archive' | 'acceptLog'> {
  options: CompleteOptions
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
  given: StoreAnalyticsOptions,
): Promise<{
  erasures: Erasures | LoggedErasures
  lake: Lake | undefined
  states: StateWriter | undefined
}> => {
  const { options, folder, archive, acceptLog, database, appliers, link, taskIds, logger, cleanups } = given
  const { oneAtATime, erasureList: list, ended, restart, onLogLost } = given
  const { log: url, syncWaitMs, environments, insertIdWindowMs } = options

  const window = new InsertIdWindow({ folder: folder.insertIds, windowMs: insertIdWindowMs })
  cleanups.add(() => window.close())
  const reader = await database.connect()
  // Nobody is told that a person is erased as long as a file of the archive may hold the person's events.
  if (archive?.isShared === false) await removeUncounted(reader, archive)
  await fillWindow(reader, window)
  reader.closeSync()

  const held = { catalog: analyticsCatalog, schema: 'raw', oneAtATime }
  const shared = { list, folder, database, window, restart, applier: () => analytics }
  const openLocal = async () => {
    const erasures = await openErasures({ ...shared, ended, link })
    link.on('erase', (requests, through) => erasures.take(requests, through))
    const limit = () => erasures.limit
    const source = localSource({ store: acceptLog, link, taskIds, syncWaitMs, limit })
    return { erasures, source, states: undefined }
  }
  const openShared = (logUrl: string) => {
    const source = postgresSource({
      ...{ ...options, url: logUrl, store: acceptLog, logger, onLost: onLogLost },
      place: `${hostname()}:${folder.path}`,
      onErase: (point) => erasures.take(point),
    })
    const { follower } = source
    const erasures = openLoggedErasures({
      ...{ ...shared, store: acceptLog, follower, archive, logger },
      lake: () => lake!,
    })
    const states =
      archive &&
      new StateWriter({
        ...{ archive, folder, held, logger },
        followed: () => acceptLog.followed!,
        connection: () => (follower().isConnected ? follower().connection : undefined),
        isArchiver: () => lake!.isArchiver,
      })
    cleanups.add(() => states?.close())
    return { erasures, source, states }
  }
  const { erasures, source, states } = url === undefined ? await openLocal() : openShared(url)
  const { applier: analytics, deadLetters }: CatalogApplier = await appliers.open(
    acceptLog.numberOf(analyticsCatalog),
    {
      ...source,
      ...held,
      applyEntries: applyAnalytics({ environments, window }),
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
          ...{ archive, database, oneAtATime, logger, addresses: addressesOf(url) },
          ...{ log: acceptLog.followed!.id, reader: acceptLog.readerName },
          applied: () => analytics.applied,
        })
  cleanups.add(async () => lake?.close())
  await lake?.start()
  source.begin(analytics, deadLetters.all())
  return { erasures, lake, states }
}

import type { DuckDBConnection } from '@duckdb/node-api'
import { openAnalytics } from '../analytics/openAnalytics.js'
import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import { eraseFromFiles, replaceFiles } from '../archive/eraseFromFiles.js'
import { explainMissing } from '../archive/lookForMissing.js'
import type { Logger } from '../Logger.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import { attach, createInstance, type Resources } from '../duckdb/Database.js'
import type { DataFolder } from '../disk/DataFolder.js'
import { hashOf, readErased, recordDuty, type Duty } from '../schema/duties.js'
import type { ErasureOutcome, PersonId } from '../payloads/erasure.js'
import { type Erasure, type ErasureList, type Logged, maxTries } from './ErasureList.js'
import {
  chooseErased,
  countIds,
  countRows,
  countUnlinked,
  findEvents,
  findRejected,
  idsInTable,
  setIds,
} from '../schema/personRows.js'
import { findObstacle, removeUnfinished, rewriteStore } from './rewriteStore.js'
import { reasonOf } from '../OperatorError.js'

/** What stores that follow a log in PostgreSQL have in common in the folder of the archive. */
interface SharedFiles {
  /** The part of some erases that is about shared files; undefined when there is none. */
  openErasure(
    connection: DuckDBConnection,
    archive: ArchiveFolder | undefined,
    due: readonly Erasure[],
  ): Promise<{ isTaken: boolean; finish(): Promise<void> } | undefined>
  /** Removes copies of stores. */
  removeStates(archive: ArchiveFolder, isGone: (state: { position: number }) => boolean): void
}

interface CarryOutOptions extends Resources {
  folder: DataFolder
  list: ErasureList
  /** The files that an erasure replaces are removed when the engine opens the store. */
  archive: ArchiveFolder | undefined
  /** The key with which ids are hashed for `privacy_log`. */
  secret: Buffer
  /** The secret of the log in PostgreSQL, by which keys stand for ids; undefined without one. */
  logSecret: string | undefined
  shared: SharedFiles
  logger: Logger
}

interface CarriedOut {
  /** The outcomes of the erasures that were due and are not in `privacy_log`. */
  ended: ErasureOutcome[]
  /**
   * The tasks that may be taken off the list once no other file holds rows of the persons. If there are any, other files
   * of this folder may hold such rows.
   */
  erased: ReadonlySet<string>
}

const tasksOf = (erasures: readonly { task: string }[]) => new Set(erasures.map(({ task }) => task))

const readPosition = async (connection: DuckDBConnection): Promise<number> => {
  const reader = await connection.runAndReadAll('SELECT max(applied) FROM analytics.raw.position')
  return Number(reader.getRows()[0]![0] ?? 0)
}

/** Counts what an erasure will remove, for `privacy_log`; undefined when nobody has the id. */
const describe = async (
  connection: DuckDBConnection,
  erasure: Erasure,
  { secret, logSecret }: CarryOutOptions,
): Promise<Duty | undefined> => {
  const { task, user, environment } = erasure
  const id = await chooseErased(connection, erasure, logSecret)
  if (id === undefined) return undefined
  await findEvents(connection)
  return {
    task,
    duty: 'erase',
    user,
    environment,
    person: hashOf(secret, { environment, id }),
    events: await countRows(connection, 'events'),
    traits: await countRows(connection, 'traits'),
    identities: await countIds(connection),
    rejected: await countRows(connection, 'rejected'),
    unlinked: await countUnlinked(connection),
  }
}

const eraseAll = async (
  connection: DuckDBConnection,
  due: readonly Erasure[],
  options: CarryOutOptions,
): Promise<CarriedOut> => {
  const { folder, archive, list, shared } = options
  const done = await readErased(connection)
  const lake = await shared.openErasure(connection, archive, due)
  const duties: Duty[] = []
  const ids: PersonId[] = []
  const unknown: ErasureOutcome[] = []
  const found = new Map<string, NonNullable<Logged['found']>>()
  for (const erasure of due) {
    // The engine ended after the new file had replaced the old one, so this person is erased already.
    if (done.has(erasure.task)) continue
    const { task, logged } = erasure
    const duty = await describe(connection, erasure, options)
    if (duty === undefined) {
      if (logged === undefined) unknown.push({ task, state: 'unknown' })
      continue
    }
    const its = await idsInTable(connection)
    duties.push(duty)
    ids.push(...its)
    if (logged !== undefined)
      found.set(task, { ids: its.map(({ id }) => id), rejected: await findRejected(connection) })
  }
  if (duties.length > 0) {
    if (found.size > 0) list.note(found)
    const last = Math.max(0, ...due.map(({ logged }) => logged?.last ?? 0))
    // Before the store changes: whenever this is killed, it is done again. A writer of such a state on another machine
    // comes to this erase, too.
    if (archive !== undefined) shared.removeStates(archive, ({ position }) => position < last)
    await setIds(connection, ids)
    await findEvents(connection)
    const files =
      archive === undefined || archive.isShared ? [] : await eraseFromFiles(connection, archive, ids)
    await rewriteStore(connection, folder, {
      areSessionsBuilt: lake?.isTaken === true,
      async finish() {
        if (lake === undefined) await replaceFiles(connection, archive, files)
        else await lake.finish()
        for (const duty of duties) await recordDuty(connection, duty)
        // A store that has the row of the erase has carried it out: so a copy of the store, too, never passes it by.
        await connection.run(`UPDATE analytics.raw.position SET applied = greatest(applied, ${last})`)
      },
    })
  }
  // Without a person the store has not come to the erase in the log yet.
  const isPassed = duties.length > 0
  return {
    ended: unknown,
    erased: tasksOf(due.filter(({ logged }) => logged === undefined || isPassed)),
  }
}

/**
 * Finds the erasures whose last rows are applied. An erasure that was begun too often is carried out only
 * together with another one.
 */
const findDue = async (connection: DuckDBConnection, { list: { all }, archive }: CarryOutOptions) => {
  const applied = await readPosition(connection)
  const due = all.filter(({ through, logged }) =>
    // One that came by a log in PostgreSQL is about the store as it is right there, and no later. Files that it shares
    // with other stores come first.
    logged === undefined
      ? through <= applied
      : through === applied && (archive === undefined || logged.lake !== undefined),
  )
  const passed = tasksOf(all.filter(({ logged }) => logged !== undefined && logged.last <= applied))
  return { due, passed, isTired: due.length > 0 && due.every(({ tries }) => tries >= maxTries) }
}

/**
 * Erases persons before the store is opened for anything else. An erasure whose last rows are not yet
 * applied is left for a later start.
 */
export const carryOutErasures = async (options: CarryOutOptions): Promise<CarriedOut> => {
  const { folder, list, archive, logger } = options
  if (list.all.length === 0) return { ended: [], erased: new Set() }
  const instance = await createInstance(folder, options)
  const connection = await instance.connect()
  let due: readonly Erasure[] = []
  let passed: ReadonlySet<string> = new Set()
  const fail = (reason: string): CarriedOut => ({
    ended: due.flatMap(({ task, logged }) =>
      logged === undefined ? [{ task, state: 'failed', reason }] : [],
    ),
    erased: passed,
  })
  try {
    await attach(connection, analyticsCatalog, folder.catalogFile(analyticsCatalog))
    removeUnfinished(folder)
    await connection.run("SET TimeZone = 'UTC'")
    await openAnalytics(connection, archive)
    const found = await findDue(connection, options)
    ;({ due, passed } = found)
    if (due.length === 0) return { ended: [], erased: passed }
    if (found.isTired)
      return fail(
        `The erasure was begun ${maxTries} times, and the engine ended each time. Send the request again to try again.`,
      )
    const obstacle = await findObstacle(folder)
    if (obstacle !== undefined) throw new Error(obstacle)
    list.countTry(tasksOf(due))
    const { ended, erased } = await eraseAll(connection, due, options)
    return { ended, erased: new Set([...passed, ...erased]) }
  } catch (error) {
    const reason = explainMissing(reasonOf(error))
    logger.error('An erasure failed.', { reason, erasures: due.length })
    return fail(`${reason} The erasure is tried again when the engine starts.`)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

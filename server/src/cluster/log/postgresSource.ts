import { refuse } from '../../http/HttpError.js'
import type { Logger } from '../../Logger.js'
import { analyticsCatalog } from '../../duckdb/quote.js'
import { OperatorError, reasonOf } from '../../OperatorError.js'
import type { LogSource } from '../../wal/CatalogApplier.js'
import type { LogStore } from '../../wal/LogStore.js'
import { TaskIds } from '../../wal/TaskIds.js'
import { type ErasePoint, LogFollower } from './LogFollower.js'
import { addressesOf } from '../../options/values.js'

interface PostgresSourceOptions {
  url: string
  logReadersKeptMs: number
  syncWaitMs: number
  /** The notes of this data folder about its logs. */
  store: LogStore
  logger: Logger
  /** The machine and data folder of the store, for people. */
  place: string
  /** Called when the store has come to an erase in the log. Nothing behind it is read before `pass`. */
  onErase(point: ErasePoint): void
  /** Called when the store cannot go on with the log. Nothing more is read then. */
  onLost(reason: string): void
}

/** Throws when the store of this data folder cannot follow a log in PostgreSQL. */
const checkStore = async (store: LogStore, applied: number): Promise<void> => {
  const { followed } = store
  if (followed?.lost !== undefined) throw new OperatorError(followed.lost)
  const waiting = followed === undefined ? await store.waitingOf(analyticsCatalog, applied) : 0
  if (waiting > 0) {
    throw new OperatorError(
      `The write-ahead log of this store has ${waiting} rows that are not stored yet. Start once without --log, wait until backlog_rows at /healthz is 0, stop, and start with --log.`,
    )
  }
}

/** Reads the accept log in PostgreSQL, which other processes write and follow too. */
export const postgresSource = (options: PostgresSourceOptions): LogSource & { follower(): LogFollower } => {
  const { url, logReadersKeptMs, syncWaitMs, store, logger, place, onErase, onLost } = options
  let follower: LogFollower
  let taskIds: TaskIds
  return {
    follower: () => follower,
    async open(applied) {
      await checkStore(store, applied)
      // A restored folder also has the first files of a log of its own. `follow` gives them up.
      if (store.followed !== undefined) store.follow(store.followed)
      follower = new LogFollower({
        addresses: addressesOf(url),
        name: store.readerName,
        place,
        applied,
        expected: store.followed?.id,
        onFollow: (identity) => store.follow(identity),
        marks: store.marks,
        onRead: (marks) => store.note(marks),
        keptMs: logReadersKeptMs,
        logger,
      })
      follower.once('lost', (reason) => {
        logger.error(reason)
        store.lose(reason)
        onLost(reason)
      })
      follower.on('erase', onErase)
      await follower.start()
      taskIds = new TaskIds(Buffer.from(store.followed!.secret, 'base64'))
      return follower
    },
    // Each new connection checks whether the log still has the rows that the store lacks.
    pruned: 0,
    taskIdOf: (last) => taskIds.issue({ log: 0, last }),
    lastOfTask: (taskId) => taskIds.read(taskId)?.last,
    begin(applier, setAside) {
      for (const letter of setAside) follower.setAside(letter)
      follower.on('grown', () => applier.wake())
      follower.on('wanted', (sequence) => void applier.reached(sequence, syncWaitMs))
      applier.wake()
    },
    onApplied: (through) => follower.advance(through),
    onSetAside: (letter) => follower.setAside(letter),
    async keepLog(position, isCopied) {
      try {
        await follower.keepForCopy(position, isCopied)
      } catch (error) {
        const message = `The log in PostgreSQL cannot be told to keep what comes after the copy (${reasonOf(error)}). Try again in a while.`
        throw refuse(503, 'log-unavailable', message)
      }
    },
  }
}

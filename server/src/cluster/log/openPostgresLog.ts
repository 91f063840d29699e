import type { SaltPlace } from '../../analytics/DaySalt.js'
import type { Cleanups } from '../../Cleanups.js'
import { refuse } from '../../http/HttpError.js'
import type { Logger } from '../../Logger.js'
import type { CompleteOptions, Role } from '../../options/flags.js'
import { type AcceptLog, LogUnavailable, type OpenedLog } from '../../wal/AcceptLog.js'
import { RemoteApplier } from '../../wal/RemoteApplier.js'
import { LogAppender } from './LogAppender.js'
import { channels, LogWatch, unreachable } from './LogWatch.js'
import type { LogIdentity } from '../../wal/LogStore.js'
import { addressesOf } from '../../options/values.js'
import { reasonOf } from '../../OperatorError.js'
import type { LogRecord } from '../../wal/segment.js'
import { accessInLog, saltInLog } from '../logSchema.js'
import type { AccessPlace } from '../../users/Access.js'
import type { ServerConnection } from '../ServerConnection.js'

/** The client has to find another process first. */
const retryAfterMs = 10_000

interface OpenPostgresLogOptions extends Pick<CompleteOptions, 'logDurability'> {
  /** The log's URL. */
  url: string
  role: Role
  /** The log that the store of this process follows already. */
  followed: LogIdentity | undefined
  logger: Logger
  cleanups: Cleanups
}

interface OpenedPostgresLog extends OpenedLog {
  salts: SaltPlace
  access: AccessPlace
  /** The log for what users erase and save: also a process that takes no events puts that into it. */
  ofUsers: AcceptLog
  ask: ServerConnection['ask']
  /** Counts the processes that follow the log, and the standbys of which a commit waits for some. */
  counts(): { readers: number; standbys: number }
}

/** The answer to events that are sent to a process that only answers queries. */
const takesNone = 'This process only answers queries (--role engine). Send events to one that takes them.'

const noReader =
  'No query process is connected to the log in PostgreSQL; accepted rows wait there until one is.'

/** Opens the accept log in PostgreSQL, which any number of processes write and follow. */
export const openPostgresLog = async ({
  url,
  logDurability,
  role,
  followed,
  logger,
  cleanups,
}: OpenPostgresLogOptions): Promise<OpenedPostgresLog> => {
  const addresses = addressesOf(url)
  const watch = new LogWatch({ addresses, logger })
  cleanups.add(() => watch.stop())
  const appender =
    role === 'engine' ? undefined : new LogAppender({ addresses, durability: logDurability, logger })
  cleanups.add(() => appender?.stop())
  // The appender starts first: it creates the log, and it rejects when the server is not durable.
  await appender?.start()
  // A process that only answers queries starts even when the server cannot be reached.
  const { secret } = await watch.start(role === 'engine' ? followed : undefined)
  const { deadLetters } = watch
  const newestHere = () => Math.max(appender?.last ?? 0, watch.last)
  const applier = new RemoteApplier({
    applied: 0,
    deadLetters,
    tellGrown: () => watch.tell(channels.grown, newestHere()),
    tellWanted: (sequence) => watch.tell(channels.wanted, sequence),
  })
  cleanups.add(() => applier.stop())
  watch.on('applied', (through) => applier.advance(through))
  const appendOnce = async (record: LogRecord): Promise<number> => {
    const once = new LogAppender({ addresses, durability: logDurability, logger })
    try {
      await once.start()
      return await once.append(record)
    } catch (error) {
      logger.warn('The log in PostgreSQL takes nothing.', { reason: reasonOf(error) })
      throw new LogUnavailable(`${unreachable} Send again in a while.`, retryAfterMs)
    } finally {
      await once.stop()
    }
  }
  const log: AcceptLog = {
    append: (record) =>
      appender === undefined
        ? Promise.reject(new LogUnavailable(takesNone, retryAfterMs))
        : appender.append(record),
    get last() {
      return newestHere()
    },
    get bytes() {
      return appender?.bytes ?? 0
    },
    get obstacle() {
      return appender === undefined ? takesNone : appender.obstacle
    },
  }
  const ofUsers: AcceptLog = {
    async append(record) {
      const last = await (appender === undefined ? appendOnce(record) : appender.append(record))
      watch.tell(channels.grown, last)
      return last
    },
    get last() {
      return newestHere()
    },
    bytes: 0,
    obstacle: undefined,
  }
  return {
    log,
    ofUsers,
    applier,
    // Its task ids are signed with its own secret, so its number need not differ from those of other logs.
    number: 0,
    taskSecret: Buffer.from(secret, 'base64'),
    deadLetters,
    applied: () => watch.applied,
    stored: () => watch.stored,
    furthest: () => watch.furthest,
    isStoring: () => watch.isStoring,
    // How far each process is, is all that they tell each other.
    spent: () => undefined,
    durable: newestHere,
    whyWaiting: () => (watch.readers > 0 ? undefined : noReader),
    problem: () => (appender === undefined ? watch.problem : appender.obstacle),
    async newest() {
      try {
        return await watch.newest()
      } catch {
        throw refuse(503, 'log-unavailable', `${unreachable} Send again in a while.`, { 'retry-after': '2' })
      }
    },
    ask: watch.ask,
    access: accessInLog({
      ask: watch.ask,
      follow: (look) => watch.on('access', look),
      // A watch reads all that it knows when it is told anything.
      tell: () => watch.tell(channels.applied, 0),
    }),
    salts: saltInLog(() => {
      if (appender === undefined) throw new LogUnavailable(takesNone, retryAfterMs)
      return appender.connection
    }),
    counts: () => ({ readers: watch.readers, standbys: appender?.standbys ?? 0 }),
  }
}

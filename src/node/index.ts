import { readConfig, defaults } from '../core/config'
import { wake } from '../core/delivery'
import { save, works } from '../core/disk'
import { createInstance, visitorStates } from '../core/instance'
import { adopt } from '../core/queue'
import { complain, on } from '../core/signals'
import type { Config, EventMap, Flushed, InitConfig, Stats, Waymark } from '../core/types'
import { createUrlFilter } from '../core/urls'
import { bindAll, methods } from '../core/waymark'
import { createNodeBrowser } from './createNodeBrowser'
import { followProcess } from './followProcess'
import { openJournal } from './journal'
import { nodeModules } from './locks'
import type { RequestLike } from './readRequest'
import { createVisitors, type Visitor, type VisitorIds, type VisitorOptions } from './visitors'

export type * from '../core/types'
export type { RequestLike } from './readRequest'
export { signUser, type SignatureBounds } from './signUser'
export type { Visitor, VisitorIds, VisitorOptions } from './visitors'

/** What `createWaymark` takes: the key, where to send, where to keep, and options of the browser's library. */
export interface NodeOptions extends Pick<
  InitConfig,
  | 'endpoint'
  | 'environment'
  | 'release'
  | 'batch'
  | 'queue'
  | 'transport'
  | 'insertId'
  | 'url'
  | 'beforeSend'
  | 'session'
  | 'debug'
> {
  apiKey: string
  /** A folder for what waits; several processes may share it. Without one it waits in memory. @defaultValue none */
  dir?: string | undefined
}

export interface NodeStats extends Omit<Stats, 'store'> {
  /** `memory` without a folder, or while the disk refuses to write. */
  store: 'disk' | 'memory'
}

export interface NodeWaymark<Events extends object = EventMap> extends Pick<
  Waymark<Events>,
  'flush' | 'on' | 'configure'
> {
  /**
   * The visitor of a page that asks: read from the cookie of `waymark/cookie`, or the header of
   * `waymark/request-header`, of a web `Request`, Node's, or `{ headers }` alone.
   */
  forRequest(request: RequestLike, options?: VisitorOptions): Visitor<Events>
  /**
   * Notes a request of a crawler or an AI agent, which runs no script of a page, as a `$pageview` of a bot. Returns false,
   * and notes nothing, for a person's browser.
   */
  noteCrawler(request: RequestLike): boolean
  /** A user whom the server knows. Events carry no session, unless one is given. */
  forUser(userId: string, ids?: VisitorIds): Visitor<Events>
  /** Resolves to whether all that was called until now is on the disk: it outlives a crash then. */
  saved(): Promise<boolean>
  /** Sends what waits, and ends the instance; what could not be sent stays on the disk. */
  shutdown(): Promise<Flushed>
  stats(): NodeStats
}

/** A server has many visitors, and sends for all of them at once. The key is not for the logs of proxies. */
const usual: Config = {
  ...defaults,
  batch: { maxEvents: 200, maxBytes: 262_144, intervalMs: 1000 },
  queue: { maxEvents: 100_000, maxBytes: 67_108_864, ttlMs: 1_209_600_000 },
  transport: { ...defaults.transport, auth: 'header' },
}

/** How often files of ended processes are looked for. */
const takeOverEveryMs = 60_000

/** How long a process that was told to end goes on sending. */
const endWithinMs = 5000

/**
 * Makes an instance for a server. Events are written to the folder, many by one sync, and stay there until the service
 * has accepted them.
 *
 * @example
 * const waymark = createWaymark({ apiKey: 'sk_1', endpoint: 'https://api.example.com', dir: './waymark' })
 * waymark.forUser('u_1').track('Invoice Paid', { total: 99.5 })
 */
export const createWaymark = <Events extends object = EventMap>(
  { apiKey, dir, ...given }: NodeOptions = {} as NodeOptions,
): NodeWaymark<Events> => {
  const browser = createNodeBrowser()
  const w = createInstance(browser, {} as Waymark)
  const { flush, stats, shutdown, ...bound } = bindAll(() => w, methods) as unknown as Waymark
  const config = readConfig(given, usual)
  Object.assign(w, {
    // The page alone decides when a session is over.
    config: { ...config, session: { idleMs: Infinity, maxMs: Infinity } },
    apiKey,
    storeName: apiKey,
    filterUrl: createUrlFilter(config.url),
    pageState: 'open',
    consent: 'granted',
    visitorState: visitorStates.memory,
    // A service that does not answer is waited for: no blocker stands between it and a server.
    settings: { down: false },
    // Rows are taken away by their keys alone.
    isMixed: true,
  })
  w.onReady()

  const isReady = typeof apiKey === 'string' && !!apiKey && !!browser.fullUrl(config.endpoint)
  const modules = isReady && dir ? nodeModules() : undefined
  const journal = modules && openJournal(modules, dir!, w.queueId)
  if (!isReady) {
    const code = apiKey ? 'missing-endpoint' : 'missing-api-key'
    complain(w, code, apiKey ? config.endpoint : 'none', true)
    // Nobody could take what is kept.
    w.pageState = 'shut'
  } else if (journal) {
    w.database = { ...journal, abortReads() {} }
    w.brokenUntil = 0
  } else complain(w, 'memory-only', dir ? 'this platform has no disk' : 'no dir', true)

  on(w, 'storage', ({ store }) => {
    if (store === 'memory') complain(w, 'disk-refuses', dir, true)
  })

  let stopTaking = () => {}
  const takeOver = async () => {
    try {
      const found = await journal!.takeOver()
      if (w.pageState === 'shut') return
      adopt(w, found)
      if (found[0]) wake(w)
    } catch (error) {
      // The folder cannot be written, or a file in it: the next round tries again.
      complain(w, 'disk-refuses', error, true)
    }
    stopTaking = browser.after(takeOverEveryMs, () => void takeOver())
  }
  if (journal) void takeOver()

  const saved = async () => {
    save(w)
    const isWritten = [...w.dirty].every((record) => !record.items[0])
    try {
      await journal?.saved()
      return !!journal && isWritten
    } catch {
      return false
    }
  }

  const stop = isReady
    ? followProcess({
        async flush() {
          if (w.queuedCount) await flush({ timeoutMs: endWithinMs })
          // Accepted payloads leave the disk, or the next process would send them again.
          await saved()
        },
        saveNow() {
          save(w)
          journal?.saveNow()
        },
      })
    : () => {}

  return {
    ...createVisitors<Events>(w, config.session.idleMs),
    on: bound.on,
    configure: bound.configure,
    flush,
    saved,
    async shutdown() {
      stopTaking()
      stop()
      const flushed = await shutdown()
      await journal?.closed
      return flushed
    },
    stats: () => ({ ...stats(), store: journal && works(w) ? 'disk' : 'memory' }),
  }
}

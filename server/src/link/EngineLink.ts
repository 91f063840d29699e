import { EventEmitter } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { AlertNews } from '../alerts/alertsSchema.js'
import type { ErasureState } from '../payloads/erasure.js'
import type { DeadLetter } from '../wal/rejected.js'
import { Watchdog } from '../Watchdog.js'
import {
  type Culprit,
  linkProtocol,
  receive,
  send,
  type ToEngine,
  type ToIngest,
  type EngineVitals,
} from './messages.js'

/** The first message of an engine on the link: all that it knows. */
export type Hello = Extract<ToIngest, { kind: 'hello' }>

interface News {
  up: [hello: Hello]
  applied: [log: number, through: number, tookMs: number]
  setAside: [log: number, letter: DeadLetter]
  storing: [log: number, failing: string | null]
  erasure: [state: ErasureState]
  clockWanted: [atMs: number]
  alertNews: [news: readonly AlertNews[]]
  /** The engine ends, and why; `culprit` tells whose statement has ended it, where that is known. */
  ended: [reason: string, culprit?: Culprit]
  /** The connection is closed, or the engine has said that it ends. */
  down: []
  /** The engine has taken the connection, but nothing was heard of it for `silentMs`. */
  silent: []
}

/** How an engine ended that said nothing: by a crash, or because it held too much memory. */
export type EndOf = 'crash' | 'memory' | 'unknown'

const retryMs = 50
const usualSilentMs = 20_000

/** Whose statement has probably ended an engine that said nothing, of those that ran in it. */
const culpritOf = (running: readonly Culprit[], isCrash: boolean): Culprit | undefined => {
  const last = running.at(-1)
  if (running.length <= 1 || last === undefined) return last
  const isOfOne = running.every(({ user }) => user === last.user)
  return isOfOne || isCrash ? { user: last.user } : undefined
}

/**
 * The ingest process's end of the link with the engine. The link is down until the engine answers, and tries again for
 * as long as it is open, so that no other part has to care whether the engine is there.
 *
 *   down → up (hello) → down (the engine ends, or the connection is closed)
 *   connected, and silent for `silentMs` → `silent` is emitted
 */
export class EngineLink extends EventEmitter<News> {
  readonly #path: string
  readonly #silence: Watchdog
  #socket: Socket | undefined
  #isUp = false
  #pid: number | undefined
  #vitals: EngineVitals | undefined
  #reason: string | undefined
  /** Whether it is known at what the engine ended that has ended last. */
  isExplained = false
  /** Whose statements alone can have taken the memory of the engine that has ended last; they would do it again. */
  guilty: string | undefined
  #upAtMs = 0
  /** What DuckDB works on, in the order in which it began. */
  readonly #running = new Map<number, Culprit>()
  /** How many engines have connected, counted by their process ids. */
  #engines = 0
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(path: string, silentMs = usualSilentMs) {
    super()
    this.#path = path
    this.#silence = new Watchdog(silentMs, () => this.emit('silent'))
    // Every waiting request adds a listener.
    this.setMaxListeners(0)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** Whether the engine has said nothing for two or three seconds, which it does each second: it hangs, or is stopped. */
  get isQuiet(): boolean {
    return this.#silence.missed >= 3
  }

  /** For how long the link has been up, or had been when it went down. */
  get upForMs(): number {
    return performance.now() - this.#upAtMs
  }

  /** The process id of the engine that connected last. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** The newest vitals of the engine; undefined while the link is down. */
  get vitals(): EngineVitals | undefined {
    return this.#vitals
  }

  /** How many engines have connected after the first. */
  get restarts(): number {
    return Math.max(0, this.#engines - 1)
  }

  open(): void {
    const asking = request({
      socketPath: this.#path,
      headers: { connection: 'upgrade', upgrade: linkProtocol },
    })
    asking.once('upgrade', (_, socket, head) => {
      // The first message may have come in one packet with the answer.
      socket.unshift(head)
      this.#connected(socket)
    })
    // An engine that takes connections is running, so from now on its silence means that it hangs.
    asking.once('socket', (socket) => socket.once('connect', () => this.#heard()))
    asking.once('response', (response) => response.destroy())
    asking.once('error', () => undefined)
    asking.once('close', () => {
      if (this.#socket !== undefined) return
      this.#silence.stop()
      this.#later()
    })
    asking.end()
  }

  tell(message: ToEngine): void {
    if (this.#socket !== undefined) send(this.#socket, message)
  }

  /** Resolves true once the link is up, false after `withinMs`. */
  whenUp(withinMs: number): Promise<boolean> {
    return this.#when('up', () => this.#isUp, withinMs)
  }

  /** Resolves true once the link is down, false after `withinMs`. */
  whenDown(withinMs: number): Promise<boolean> {
    return this.#when('down', () => !this.#isUp, withinMs)
  }

  /** Why the engine has ended, once that is known; undefined when it is not known within `withinMs`. */
  async whyEnded(withinMs: number): Promise<string | undefined> {
    await this.#when('ended', () => this.#isUp || this.#reason !== undefined, withinMs)
    return this.#reason
  }

  /**
   * Says why the engine has ended, when it has not said so itself. Then it was the only statement that ran, or in a
   * crash probably that of the user who asked last. Returns whether any ran.
   */
  tellEnd(reason: string, how: EndOf = 'unknown'): boolean {
    const running = [...this.#running.values()]
    const tell = () => {
      if (this.#reason !== undefined) return
      const culprit = culpritOf(running, how === 'crash')
      this.guilty = how === 'memory' ? culprit?.user : undefined
      this.#reason = reason
      this.isExplained = culprit?.statement !== undefined
      this.emit('ended', reason, culprit)
    }
    // The end of a process may be known before that of its connections.
    if (this.#isUp) this.once('down', tell)
    else tell()
    return running.length > 0
  }

  #when(news: 'up' | 'down' | 'ended', isTrue: () => boolean, withinMs: number): Promise<boolean> {
    if (isTrue()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        this.off(news, settle)
        resolve(isTrue())
      }
      const timer = setTimeout(settle, withinMs)
      this.on(news, settle)
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#silence.stop()
    this.#socket?.destroy()
  }

  #later(): void {
    if (!this.#isClosed) this.#retry = setTimeout(() => this.open(), retryMs)
  }

  #connected(socket: Socket): void {
    this.#socket = socket
    receive(socket, (message) => this.#take(message as ToIngest))
    socket
      .on('error', () => undefined)
      .once('close', () => {
        this.#socket = undefined
        this.#silence.stop()
        this.#down()
        this.#later()
      })
    this.#heard()
  }

  #take(message: ToIngest): void {
    this.#heard()
    if (message.kind === 'hello') {
      this.#isUp = true
      this.#upAtMs = performance.now()
      this.#running.clear()
      this.#reason = undefined
      this.isExplained = false
      this.guilty = undefined
      if (message.pid !== this.#pid) this.#engines++
      this.#pid = message.pid
      this.#vitals = message.vitals
      this.emit('up', message)
    } else if (message.kind === 'applied') this.emit('applied', message.log, message.through, message.tookMs)
    else if (message.kind === 'setAside') this.emit('setAside', message.log, message.letter)
    else if (message.kind === 'storing') this.emit('storing', message.log, message.failing)
    else if (message.kind === 'erasure') this.emit('erasure', message.state)
    else if (message.kind === 'clockWanted') this.emit('clockWanted', message.atMs)
    else if (message.kind === 'alertNews') this.emit('alertNews', message.news)
    else if (message.kind === 'begun') this.#running.set(message.id, message.asked)
    else if (message.kind === 'done') this.#running.delete(message.id)
    else if (message.kind === 'ending') {
      this.#reason = message.reason
      this.isExplained = true
      this.emit('ended', message.reason, message.culprit ?? this.#userAtFatal(message.reason))
      this.#down()
    } else if (this.#isUp) this.#vitals = message.vitals
  }

  /** The user of all that ran when DuckDB gave up at a statement that was not found; undefined if there were several. */
  #userAtFatal(reason: string): Culprit | undefined {
    const culprit = reason.startsWith('FATAL') ? culpritOf([...this.#running.values()], false) : undefined
    return culprit && { user: culprit.user }
  }

  #down(): void {
    if (!this.#isUp) return
    this.#isUp = false
    this.#vitals = undefined
    this.emit('down')
  }

  #heard(): void {
    if (!this.#isClosed) this.#silence.heard()
  }
}

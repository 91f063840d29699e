import { EventEmitter } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { EngineVitals } from '../metrics/EngineVitals.js'
import type { ErasureState } from '../privacy/erasure.js'
import type { DeadLetter } from '../wal/DeadLetters.js'
import { linkProtocol, receive, send, type ToEngine, type ToIngest } from './messages.js'

/** What an engine says when it is there. */
export type Hello = Extract<ToIngest, { kind: 'hello' }>

interface News {
  up: [hello: Hello]
  applied: [log: number, through: number]
  setAside: [log: number, letter: DeadLetter]
  storing: [log: number, failing: string | null]
  erasure: [state: ErasureState]
  down: []
  /** Nothing was heard for a long time, though it has taken the connection. */
  silent: []
}

const retryMs = 50
const usualSilentMs = 20_000

/**
 * The ingest process's end of its link with the engine. It is down until the engine answers, and
 * tries again for as long as it is open: whether the engine is there is nobody else's business.
 */
export class EngineLink extends EventEmitter<News> {
  readonly #path: string
  readonly #silentMs: number
  #socket: Socket | undefined
  #isUp = false
  #pid: number | undefined
  #vitals: EngineVitals | undefined
  /** How many engines were there. */
  #engines = 0
  #retry: NodeJS.Timeout | undefined
  #silence: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(path: string, silentMs = usualSilentMs) {
    super()
    this.#path = path
    this.#silentMs = silentMs
    // As many wait for the engine as there are requests.
    this.setMaxListeners(0)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** Of the engine that is or was there last. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** What the engine said of itself last; undefined while it is not there. */
  get vitals(): EngineVitals | undefined {
    return this.#vitals
  }

  /** How many engines there were after the first. */
  get restarts(): number {
    return Math.max(0, this.#engines - 1)
  }

  open(): void {
    const asking = request({
      socketPath: this.#path,
      headers: { connection: 'upgrade', upgrade: linkProtocol },
    })
    asking.once('upgrade', (_, socket, head) => {
      // The first message may have come in one piece with the answer.
      socket.unshift(head)
      this.#connected(socket)
    })
    // Who takes the connection has a port, and so is there to answer.
    asking.once('socket', (socket) => socket.once('connect', () => this.#heard()))
    asking.once('response', (response) => response.destroy())
    asking.once('error', () => undefined)
    asking.once('close', () => {
      if (this.#socket !== undefined) return
      this.#expectNothing()
      this.#later()
    })
    asking.end()
  }

  tell(message: ToEngine): void {
    if (this.#socket !== undefined) send(this.#socket, message)
  }

  /** Resolves true once the link is up, false when that takes too long. */
  whenUp(withinMs: number): Promise<boolean> {
    if (this.#isUp) return Promise.resolve(true)
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        this.off('up', settle)
        resolve(this.#isUp)
      }
      const timer = setTimeout(settle, withinMs)
      this.on('up', settle)
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#expectNothing()
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
        this.#expectNothing()
        if (this.#isUp) {
          this.#isUp = false
          this.#vitals = undefined
          this.emit('down')
        }
        this.#later()
      })
    this.#heard()
  }

  #take(message: ToIngest): void {
    this.#heard()
    if (message.kind === 'hello') {
      this.#isUp = true
      if (message.pid !== this.#pid) this.#engines++
      this.#pid = message.pid
      this.#vitals = message.vitals
      this.emit('up', message)
    } else if (message.kind === 'applied') this.emit('applied', message.log, message.through)
    else if (message.kind === 'setAside') this.emit('setAside', message.log, message.letter)
    else if (message.kind === 'storing') this.emit('storing', message.log, message.failing)
    else if (message.kind === 'erasure') this.emit('erasure', message.state)
    else this.#vitals = message.vitals
  }

  #heard(): void {
    if (this.#isClosed) return
    clearTimeout(this.#silence)
    const silence = setTimeout(() => {
      // Its words may lie there unread, if it was this process that stood still.
      setImmediate(() => {
        if (this.#silence === silence) this.emit('silent')
      })
    }, this.#silentMs)
    this.#silence = silence
  }

  #expectNothing(): void {
    clearTimeout(this.#silence)
    this.#silence = undefined
  }
}

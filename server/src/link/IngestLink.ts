import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { receive, send, type ToEngine, type ToIngest, type EngineVitals } from './messages.js'
import type { DeadLetter, RecentDeadLetters } from '../wal/rejected.js'
import type { Hello } from './EngineLink.js'

/** What is known of one log. */
interface Known {
  applied: number
  letters: RecentDeadLetters
  /** Why nothing is stored; null after a success, undefined before the first try. */
  failing?: string | null
}

/** Tells the ingest process what becomes of the logs' rows: each change at once, and the whole state when it connects. */
export class LogNews {
  readonly #logs = new Map<number, Known>()
  readonly #tell: (message: ToIngest) => void

  constructor(tell: (message: ToIngest) => void) {
    this.#tell = tell
  }

  begin(log: number, known: Known): void {
    this.#logs.set(log, known)
  }

  advance(log: number, through: number, tookMs: number): void {
    this.#logs.get(log)!.applied = through
    this.#tell({ kind: 'applied', log, through, tookMs })
  }

  setAside(log: number, letter: DeadLetter): void {
    this.#tell({ kind: 'setAside', log, letter })
  }

  storing(log: number, failing: string | undefined): void {
    this.#logs.get(log)!.failing = failing ?? null
    this.#tell({ kind: 'storing', log, failing: failing ?? null })
  }

  get all(): Pick<Hello, 'applied' | 'setAside' | 'storing'> {
    const logs = [...this.#logs]
    return {
      applied: logs.map(([log, { applied }]) => [log, applied]),
      setAside: logs.map(([log, { letters }]) => [log, letters.all()]),
      storing: logs.flatMap(([log, { failing }]) => (failing === undefined ? [] : [[log, failing] as const])),
    }
  }
}

/** Each message is told to those who listen for its kind. */
type News = { [Kind in ToEngine['kind']]: [message: Extract<ToEngine, { kind: Kind }>] }

/** `EngineLink` takes an engine for silent after 20 s, so 19 of these messages may be late. */
const aliveMs = 1000

/** The engine's end of the link with the ingest process, on the server that also answers requests. */
export class IngestLink extends EventEmitter<News> {
  readonly #sockets = new Set<Socket>()
  readonly #hello: () => ToIngest
  readonly #alive: NodeJS.Timeout

  constructor(hello: () => ToIngest, vitals: () => EngineVitals) {
    super()
    this.#hello = hello
    this.#alive = setInterval(() => this.tell({ kind: 'alive', vitals: vitals() }), aliveMs)
    this.#alive.unref()
  }

  tell(message: ToIngest): void {
    for (const socket of this.#sockets) send(socket, message)
  }

  close(): void {
    clearInterval(this.#alive)
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Takes over a connection that was upgraded to the link. */
  accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket))
    receive(socket, (given) => {
      const message = given as ToEngine
      this.emit(message.kind, ...([message] as News[ToEngine['kind']]))
    })
    send(socket, this.#hello())
  }
}

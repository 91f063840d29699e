import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { EngineVitals } from '../metrics/EngineVitals.js'
import type { ErasureRequest } from '../privacy/erasure.js'
import { receive, send, type ToEngine, type ToIngest } from './messages.js'

interface News {
  grown: [durable: number]
  wanted: [sequence: number]
  stopping: []
  cancelPostgres: [process: number, secret: number]
  endPostgres: []
  refused: [statements: readonly (readonly [key: string, reason: string])[]]
  erase: [requests: ErasureRequest[], through: number]
}

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
      if (message.kind === 'grown') this.emit('grown', message.durable)
      else if (message.kind === 'wanted') this.emit('wanted', message.sequence)
      else if (message.kind === 'cancelPostgres') {
        this.emit('cancelPostgres', message.process, message.secret)
      } else if (message.kind === 'erase') this.emit('erase', message.requests, message.through)
      else if (message.kind === 'refused') this.emit('refused', message.statements)
      else this.emit(message.kind)
    })
    send(socket, this.#hello())
  }
}

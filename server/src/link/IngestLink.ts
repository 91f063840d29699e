import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { linkProtocol, receive, send, type ToEngine, type ToIngest } from './messages.js'

interface News {
  grown: [durable: number]
  wanted: [sequence: number]
  stopping: []
}

const aliveMs = 1000

/** The engine's end of its link with the ingest process, on the server that also answers requests. */
export class IngestLink extends EventEmitter<News> {
  readonly #sockets = new Set<Socket>()
  readonly #hello: () => ToIngest
  readonly #alive: NodeJS.Timeout

  constructor(server: Server, hello: () => ToIngest) {
    super()
    this.#hello = hello
    server.on('upgrade', (request, socket) => this.#connected(request.headers.upgrade, socket as Socket))
    this.#alive = setInterval(() => this.tell({ kind: 'alive' }), aliveMs)
    this.#alive.unref()
  }

  tell(message: ToIngest): void {
    for (const socket of this.#sockets) send(socket, message)
  }

  close(): void {
    clearInterval(this.#alive)
    for (const socket of this.#sockets) socket.destroy()
  }

  #connected(protocol: string | undefined, socket: Socket): void {
    if (protocol !== linkProtocol) {
      socket.destroy()
      return
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: ${linkProtocol}\r\n\r\n`,
    )
    this.#sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket))
    receive(socket, (given) => {
      const message = given as ToEngine
      if (message.kind === 'grown') this.emit('grown', message.durable)
      else if (message.kind === 'wanted') this.emit('wanted', message.sequence)
      else this.emit('stopping')
    })
    send(socket, this.#hello())
  }
}

import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Sql } from '../sql/openSql.js'
import { errorResponse } from './messages.js'
import { PostgresConnection } from './PostgresConnection.js'
import { asProtocolError } from './ProtocolError.js'
import { readStart } from './upgrade.js'
import type { WireStart } from './WireConnection.js'

export interface PostgresClients {
  /** Takes over a connection whose client the ingest process has let in. */
  accept(request: IncomingMessage, socket: Duplex): void
  /** Of a client that asks by another connection. */
  cancel(process: number, secret: number): void
  /** Ends each connection, after what it is at. */
  end(): void
  close(): Promise<void>
}

interface Client {
  connection: PostgresConnection
  secret: number
  ended: Promise<void>
}

const highestKey = 2 ** 31 - 1

/** The engine's end of the Postgres protocol. */
export const acceptPostgres = (sql: Sql): PostgresClients => {
  const clients = new Map<number, Client>()

  const open = (socket: Duplex, start: WireStart): void => {
    const connection = new PostgresConnection(socket, start, sql)
    let key = randomInt(1, highestKey)
    while (clients.has(key)) key = randomInt(1, highestKey)
    const secret = randomInt(1, highestKey)
    const ended = connection.run(key, secret).finally(() => clients.delete(key))
    clients.set(key, { connection, secret, ended })
  }

  const end = () => {
    for (const { connection } of clients.values()) connection.close()
  }

  return {
    accept(request, socket) {
      try {
        open(socket, readStart(request))
      } catch (error) {
        socket.on('error', () => undefined).end(errorResponse(asProtocolError(error), 'FATAL'))
      }
    },
    cancel(key, secret) {
      const client = clients.get(key)
      if (client?.secret === secret) client.connection.cancel('cancelled')
    },
    end,
    async close() {
      end()
      const all = [...clients.values()]
      for (const { connection } of all) connection.cancel('stopping')
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
}

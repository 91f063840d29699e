import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Sql } from '../sql/openSql.js'
import { Catalog } from './catalog/Catalog.js'
import type { ClientStart } from './ClientState.js'
import { readStart } from './door/readMessage.js'
import { errorResponse } from './messages/messages.js'
import { PostgresConnection } from './PostgresConnection.js'
import { asProtocolError } from './ProtocolError.js'

export interface PostgresClients {
  /** Takes over the connection of a client whose password the ingest process has found right. */
  accept(request: IncomingMessage, socket: Duplex): void
  /** Cancels a client's query. The client asks for that on another connection, with its key and secret. */
  cancel(process: number, secret: number): void
  /** Ends each connection once its current message is handled. */
  end(): void
  close(): Promise<void>
}

interface Client {
  user: string
  connection: PostgresConnection
  secret: number
  ended: Promise<void>
}

const highestKey = 2 ** 31 - 1

/** Serves the clients of the Postgres protocol in the engine process. */
export const acceptPostgres = (sql: Sql): PostgresClients => {
  const clients = new Map<number, Client>()
  const catalog = new Catalog(async () => (await sql.connections.openEphemeral('')).connection)

  const open = (socket: Duplex, start: ClientStart): void => {
    let key = randomInt(1, highestKey)
    while (clients.has(key)) key = randomInt(1, highestKey)
    const { user } = start
    const connection = new PostgresConnection(socket, start, {
      sql,
      catalog,
      pid: key,
      activity: () =>
        [...clients.values()].filter((each) => each.user === user).map((each) => each.connection.activity),
      end(pid, isWhole) {
        const other = clients.get(pid)
        if (other?.user !== user) return false
        other.connection.cancel('cancelled')
        if (isWhole) other.connection.close()
        return true
      },
    })
    const secret = randomInt(1, highestKey)
    const ended = connection.run(key, secret).finally(() => clients.delete(key))
    clients.set(key, { user, connection, secret, ended })
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
      await catalog.close()
    },
  }
}

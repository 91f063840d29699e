import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Running requests may take this long to end by themselves. */
const closeWaitMs = 3000

/** Listens at a socket that only the user of this process may open. */
export const listenAtSocket = async (server: Server, path: string): Promise<void> => {
  // The socket's file is left from an earlier engine, which is gone: this process could open the catalogs.
  if (process.platform !== 'win32') rmSync(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  if (process.platform !== 'win32') chmodSync(path, 0o600)
}

type Upgrade = (socket: Socket, request: IncomingMessage) => void

/** Gives a connection that is upgraded to another protocol to the function for that protocol. */
export const takeUpgrades = (server: Server, protocols: Readonly<Record<string, Upgrade>>) => {
  server.on('upgrade', (request, socket) => {
    const protocol = request.headers.upgrade ?? ''
    const take = protocols[protocol]
    if (take === undefined) {
      socket.destroy()
      return
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    take(socket as Socket, request)
  })
}

/** Lets running requests end. The link stays open, because it still tells what is being stored; it is closed last. */
export const closeServer = async (server: Server, stopWork: () => void, idle: () => Promise<void>) => {
  server.close()
  const patience = setTimeout(() => {
    stopWork()
    server.closeAllConnections()
  }, closeWaitMs)
  await idle()
  server.closeAllConnections()
  clearTimeout(patience)
}

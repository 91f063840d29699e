import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long running requests may take to end by themselves. */
const closeWaitMs = 3000

/** Listens at a socket that only this user may open. */
export const listenAtSocket = async (server: Server, path: string): Promise<void> => {
  // The engine that left it is gone: its files are open here.
  if (process.platform !== 'win32') rmSync(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  if (process.platform !== 'win32') chmodSync(path, 0o600)
}

type Upgrade = (socket: Socket, request: IncomingMessage) => void

/** Hands a connection that the ingest process wants for more than a request to whoever speaks its protocol. */
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

/** Lets requests end. The link stays, to tell of what is still being stored; closing it is the last step. */
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

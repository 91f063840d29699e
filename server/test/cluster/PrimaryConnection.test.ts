import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { PrimaryConnection } from '../../src/cluster/PrimaryConnection.js'

let closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing) close()
  closing = []
})

/** A server that takes connections and never says a word. */
const createSilent = async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  return { server, sockets, address: { name: `${port}`, url: `postgres://postgres@127.0.0.1:${port}/any` } }
}

it('tries no further server once it is stopped', async () => {
  const [first, second] = [await createSilent(), await createSilent()]
  const session = new PrimaryConnection({
    addresses: [first.address, second.address],
    applicationName: 'test',
    begin: () => Promise.resolve(),
    logger: new Logger('silent'),
  })
  session.keep()
  await once(first.server, 'connection')
  const stopped = session.stop()
  for (const socket of first.sockets) socket.destroy()
  await stopped
  expect(second.sockets).toEqual([])
})

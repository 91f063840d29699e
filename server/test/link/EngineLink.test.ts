import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EngineLink } from '../../src/link/EngineLink.js'
import { send, type ToIngest } from '../../src/link/messages.js'
import { noQueries, processVitals } from '../../src/metrics/EngineVitals.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let server: Server
let link: EngineLink
const sockets: Socket[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-link-'))
  server = createServer((socket) => sockets.push(socket))
  server.listen(join(folder, 'engine.sock'))
  await once(server, 'listening')
})
const hello: ToIngest = {
  kind: 'hello',
  pid: 1,
  applied: [],
  setAside: [],
  storing: [],
  erasures: [],
  vitals: { ...processVitals(), queries: noQueries },
}
const openLink = (silentMs: number) => {
  link = new EngineLink(join(folder, 'engine.sock'), silentMs)
  link.open()
}
afterEach(() => {
  link.close()
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the link', () => {
  it('tells of an engine that takes the connection and never answers', async () => {
    openLink(300)
    await once(link, 'silent')
    expect(sockets).toHaveLength(1)
  })

  it('tells nothing of an engine that ends while it is asked', async () => {
    const silent = vi.fn()
    openLink(2000)
    link.on('silent', silent)
    await eventually(() => expect(sockets).toHaveLength(1))
    server.close()
    for (const socket of sockets) socket.destroy()
    await delay(2500)
    expect(silent).not.toHaveBeenCalled()
  })

  it('does not take for silence that this process stood still', async () => {
    const silent = vi.fn()
    openLink(2000)
    link.on('silent', silent)
    await eventually(() => expect(sockets).toHaveLength(1))
    const [engine] = sockets as [Socket]
    engine.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: waymark-link\r\n\r\n')
    const up = once(link, 'up')
    send(engine, hello)
    await up
    send(engine, hello)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
    await delay(100)
    expect(silent).not.toHaveBeenCalled()
  })
})

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EngineLink } from '../../src/link/EngineLink.js'
import { type Culprit, send, type ToIngest, noQueries, processVitals } from '../../src/link/messages.js'
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
/** Answers the link as an engine that is ready. */
const engineUp = async (): Promise<Socket> => {
  const engine = await eventually(() => {
    const newest = sockets.at(-1)
    if (newest === undefined || newest.destroyed) throw new Error('The link is not there.')
    return newest
  })
  engine.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: waymark-link\r\n\r\n')
  const up = once(link, 'up')
  send(engine, hello)
  await up
  return engine
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
  it.each<[string, Culprit[], { isCrash: boolean }, Culprit | undefined]>([
    ['nothing ran', [], { isCrash: true }, undefined],
    [
      'one statement ran',
      [{ user: 'eve', statement: 'a' }],
      { isCrash: false },
      { user: 'eve', statement: 'a' },
    ],
    [
      'all that ran were of one user',
      [
        { user: 'eve', statement: 'a' },
        { user: 'eve', statement: 'b' },
      ],
      { isCrash: false },
      { user: 'eve' },
    ],
    [
      'it crashed',
      [
        { user: 'bob', statement: 'a' },
        { user: 'eve', statement: 'b' },
      ],
      { isCrash: true },
      { user: 'eve' },
    ],
    [
      'it was killed among statements of several users',
      [
        { user: 'bob', statement: 'a' },
        { user: 'eve', statement: 'b' },
      ],
      { isCrash: false },
      undefined,
    ],
  ])(
    'knows whose statement ended an engine that said nothing, when %s',
    async (_, ran, { isCrash }, whose) => {
      openLink(20_000)
      const engine = await engineUp()
      send(engine, { kind: 'begun', id: 0, asked: { user: 'amy', statement: 'over' } })
      for (const [at, asked] of ran.entries()) send(engine, { kind: 'begun', id: at + 1, asked })
      send(engine, { kind: 'done', id: 0 })
      send(engine, { kind: 'storing', log: 7, failing: null })
      await once(link, 'storing')
      const ended = once(link, 'ended')
      // The process is known to have ended before its connection is.
      expect(link.tellEnd('It crashed.', isCrash ? 'crash' : 'unknown')).toBe(ran.length > 0)
      engine.destroy()
      expect(await ended).toEqual(['It crashed.', whose])
      expect(link.isExplained).toBe(whose?.statement !== undefined)
      const next = await engineUp()
      next.destroy()
      await once(link, 'down')
      const endedAgain = once(link, 'ended')
      link.tellEnd('It crashed.', 'crash')
      expect(await endedAgain).toEqual(['It crashed.', undefined])
    },
  )

  it('knows whose statements ran when DuckDB gave up at one that was not found', async () => {
    openLink(20_000)
    const engine = await engineUp()
    for (const [id, statement] of ['a', 'b'].entries())
      send(engine, { kind: 'begun', id, asked: { user: 'eve', statement } })
    send(engine, { kind: 'ending', reason: 'FATAL Error: Failed: database has been invalidated' })
    expect(await once(link, 'ended')).toEqual([expect.stringContaining('FATAL'), { user: 'eve' }])
  })

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
    const engine = await engineUp()
    send(engine, hello)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
    await delay(100)
    expect(silent).not.toHaveBeenCalled()
  })
})

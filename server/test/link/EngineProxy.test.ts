import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type OutgoingHttpHeaders, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Breaker } from '../../src/link/Breaker.js'
import type { EngineLink } from '../../src/link/EngineLink.js'
import { EngineProxy } from '../../src/link/EngineProxy.js'
import { askRaw } from '../fixtures/askRaw.js'

const queryId = '6b29fc40-ca47-4067-b31d-00dd010662da'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-proxy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const linkThatEnds = {
  whenUp: () => Promise.resolve(true),
  whenDown: () => Promise.resolve(true),
  whyEnded: () => Promise.resolve('It crashed.'),
} as unknown as EngineLink

/** What a client gets from an engine that ends after it has written so much. */
const answerOf = async (written: string, headers: OutgoingHttpHeaders) => {
  const path = join(folder, 'engine.sock')
  const engine = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-query-id': queryId, ...headers })
    response.write(written, () => setImmediate(() => response.destroy()))
  })
  await once(engine.listen(path), 'listening')
  const proxy = new EngineProxy({ link: linkThatEnds, breaker: new Breaker() }, path)
  const server = createServer((request, response) => {
    void proxy.forward({ request, response, identity: { user: 'ada', role: 'write' } })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    return await askRaw(`http://127.0.0.1:${port}`, { path: '/query', body: {} })
  } finally {
    proxy.close()
    server.close()
    engine.close()
  }
}

describe.runIf(process.platform !== 'win32')('an engine that ends under a stream', () => {
  it('is told in a last line with the error as a text', async () => {
    const { body, isComplete } = await answerOf('{}\n[]\n[1]\n', { 'x-waymark-format': 'default' })
    expect(isComplete).toBe(true)
    expect(JSON.parse(body.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      error: expect.stringContaining('engine ended'),
      error_code: 'engine-ended',
      query_id: queryId,
    })
  })

  it.each([
    ['within a line', '{}\n[]\n[1', { 'x-waymark-format': 'default' }],
    ['in jsonl', '{"a":1}\n', { 'x-waymark-format': 'jsonl' }],
    ['in csv', 'a\n1\n', { 'x-waymark-format': 'csv' }],
    ['compressed', 'xx\n', { 'x-waymark-format': 'default', 'content-encoding': 'gzip' }],
  ])('breaks the connection when it ends %s', async (_, written, headers) => {
    const { body, isComplete } = await answerOf(written, headers)
    expect(isComplete).toBe(false)
    expect(body).toBe(written)
  })
})

/** A promise that is settled from outside. */
const deferred = () => {
  let resolve!: (isUp: boolean) => void
  const promise = new Promise<boolean>((settle) => (resolve = settle))
  return { promise, resolve }
}

describe.runIf(process.platform !== 'win32')('a client that goes while the engine is being started', () => {
  it.each(['GET', 'POST'])('holds up nothing: %s', async (method) => {
    const path = join(folder, 'engine.sock')
    const asked: string[] = []
    const engine = createServer(({ url }, response) => {
      asked.push(url!)
      response.end()
    })
    await once(engine.listen(path), 'listening')
    const up = deferred()
    const link = { whenUp: () => up.promise } as unknown as EngineLink
    const proxy = new EngineProxy({ link, breaker: new Breaker() }, path)
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const client = ask({
        port,
        host: '127.0.0.1',
        method,
        path: '/query',
        headers: { 'content-length': method === 'GET' ? 0 : 5 },
      })
      client.on('error', () => undefined).flushHeaders()
      const [request, response] = await once(server, 'request')
      const forwarded = proxy.forward({ request, response, identity: { user: 'ada', role: 'write' } })
      client.destroy()
      await once(response, 'close')
      up.resolve(true)
      await forwarded
      expect(asked).toEqual([])
    } finally {
      proxy.close()
      server.close()
      engine.close()
    }
  })
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createService } from '../../fixtures/createService.js'
import { event } from '../../fixtures/events.js'
import { spawnService, type Spawned, urlIn } from '../../fixtures/spawnService.js'
import {
  askedForLogin,
  cancelRequest,
  gssRequest,
  loggedIn,
  loginStart,
  message,
  request,
  sslRequest,
  startUp,
  WireClient,
} from '../../fixtures/WireClient.js'

/*
 * What clients that have not logged in can say to the Postgres port. The service runs in a process of its own:
 * in the test's process a busy loop would stop the test as well.
 */

let folder: string
let service: Spawned
let url: string
let port: number
let certificate: [flag: string, cert: string, flag: string, key: string]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-strangers-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '2']
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
    stdio: 'ignore',
  })
  certificate = ['--postgres-tls-cert', cert, '--postgres-tls-key', key]
  await launch()
})
afterAll(async () => {
  service.kill('SIGKILL')
  await service.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const launch = async () => {
  const ports = ['--port', '0', '--postgres-port', '0', '--data', join(folder, 'data')]
  const known = ['--users', 'ada:lovelace', '--api-keys', 'key', '--memory-limit', '256MB', '--quiet']
  service = spawnService([...ports, ...known, ...certificate], { direct: true })
  const line = await service.ready
  url = urlIn(line)
  port = Number(/:(\d+) \(Postgres\)/.exec(line ?? '')?.[1])
}

const clients: WireClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.leave()
})
const open = async () => {
  const client = await WireClient.open(port)
  clients.push(client)
  return client
}

/** A service that hangs gives no answer, and this says so. */
const patience = () => AbortSignal.timeout(20_000)

/** Both answer, and after it the service has seen what came before. */
const stillAnswers = async () => {
  const body = JSON.stringify(event('alive'))
  const track = await fetch(`${url}/track?apiKey=key`, { method: 'POST', body, signal: patience() })
  const health = await fetch(`${url}/healthz`, { signal: patience() })
  expect([track.status, health.status]).toEqual([200, 200])
}

/** Says a text in two parts, cut at each place in turn, and on as many connections at once. */
const sayCut = async (bytes: Buffer, prepare: (client: WireClient) => Promise<unknown> = async () => {}) => {
  const all = await Promise.all(Array.from({ length: bytes.length }, open))
  const own = await Promise.all(
    all.map(async (client) => {
      const text = await prepare(client)
      // What was prepared may be this client's own text.
      return { client, text: Buffer.isBuffer(text) ? text : bytes }
    }),
  )
  for (const [at, { client, text }] of own.entries()) client.say(text.subarray(0, at))
  await stillAnswers()
  for (const [at, { client, text }] of own.entries()) client.say(text.subarray(at))
  return all
}
const toLogin = (client: WireClient) => client.say(startUp).hears(askedForLogin)
/** Resolves to the message that ends the login. */
const toLoginEnd = async (client: WireClient) => (await toLogin(client)).forget().beginLogin()

it('a single byte of a client that waits stops nothing, and the service ends when it is asked to', async () => {
  const client = await open()
  client.say(Buffer.from([0]))
  await stillAnswers()
  client.leave()
  await stillAnswers()
  ;(await open()).say(Buffer.from([0]))
  await stillAnswers()
  service.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0 })
  await launch()
})

describe('a first message in two parts', () => {
  it.each<[string, Buffer, (client: WireClient) => Promise<unknown>]>([
    ['of a start', startUp, (client) => client.hears(askedForLogin)],
    ['that asks for TLS', sslRequest, (client) => client.hears(Buffer.from('S'))],
    ['that asks for GSS', gssRequest, (client) => client.hears(Buffer.from('N'))],
    ['that cancels', cancelRequest, (client) => client.whenClosed()],
  ])('%s is understood wherever it is cut', async (_, bytes, answered) => {
    for (const client of await sayCut(bytes)) await answered(client)
    await stillAnswers()
  })

  it('a login is understood wherever it is cut', async () => {
    for (const client of await sayCut(loginStart(), toLogin)) await client.hears(Buffer.from(',i='))
    await stillAnswers()
    const { length } = await toLoginEnd(await open())
    for (const each of await sayCut(Buffer.alloc(length), toLoginEnd)) await each.hears(loggedIn)
    await stillAnswers()
  })

  it('a start inside of TLS is understood wherever it is cut', async () => {
    const toTls = async (client: WireClient) => {
      await client.say(sslRequest).hears(Buffer.from('S'))
      await client.encrypt()
    }
    for (const client of await sayCut(startUp, toTls)) await client.hears(Buffer.from('SCRAM-SHA-256-PLUS\0'))
    await stillAnswers()
  })
})

describe('a client is hung up on', () => {
  it.each([
    ['a start', startUp, undefined],
    ['a request for TLS', sslRequest, undefined],
    ['a request to cancel', cancelRequest, undefined],
    ['a login', loginStart(), toLogin],
  ])('that goes in the middle of %s', async (_, bytes, prepare) => {
    const all = await Promise.all(Array.from({ length: bytes.length }, open))
    if (prepare !== undefined) await Promise.all(all.map(prepare))
    for (const [at, client] of all.entries()) client.say(bytes.subarray(0, at)).end()
    await Promise.all(all.map((client) => client.whenClosed()))
    await stillAnswers()
  })

  const lengths = [0, 1, 3, 4, 7, 10_005, 2 ** 24, 2 ** 31 - 1, -1, -4, -(2 ** 31)]

  it.each(lengths)('whose first message is said to have %i bytes', async (length) => {
    const client = await open()
    client.say(request(3 << 16, '', length))
    expect((await client.whenClosed()).toString()).toBe('')
    await stillAnswers()
  })

  it.each(lengths.filter((length) => length !== 7))(
    'whose login is said to have %i bytes',
    async (length) => {
      const client = await open()
      await toLogin(client)
      client.say(message('p', '', length))
      expect(await client.whenClosed()).toEqual(askedForLogin)
      await stillAnswers()
    },
  )

  it('that sends something else than a login', async () => {
    const client = await open()
    await toLogin(client)
    client.say(message('Q', 'SELECT 1\0'))
    expect(await client.whenClosed()).toEqual(askedForLogin)
  })

  it.each([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a hello that is cut off by its next byte', Buffer.from('160301ffff010000', 'hex')],
  ])('that asks for TLS and then sends %s', async (_, bytes) => {
    const client = await open()
    await client.say(sslRequest).hears(Buffer.from('S'))
    client.say(bytes)
    if (bytes[0] === 0x16) client.end()
    await client.whenClosed()
    await stillAnswers()
  })

  it('that sends words in the clear behind its request for TLS', async () => {
    const client = await open()
    client.say(Buffer.concat([sslRequest, startUp]))
    expect((await client.whenClosed()).toString()).toBe('')
    await stillAnswers()
  })
})

it('whatever a client begins with, the service answers others', async () => {
  const words = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .record({ length: fc.integer({ min: -1, max: 400 }), code: fc.integer(), rest: fc.uint8Array() })
      .map(({ length, code, rest }) => request(code, Buffer.from(rest), length)),
    fc.uint8Array({ maxLength: 100 }).map((rest) => request(3 << 16, Buffer.from(rest))),
    fc.constantFrom(startUp, sslRequest, gssRequest, cancelRequest, Buffer.from([0])),
  )
  const others = fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 3 }), async (parts) => {
    const client = await open()
    for (const part of parts) {
      client.say(part)
      await stillAnswers()
    }
    client.leave()
  })
  await fc.assert(others, { numRuns: 100 })
})

it('a client that says nothing, too little or no TLS is hung up on after a while', async () => {
  const tls = { postgresTlsCert: certificate[1], postgresTlsKey: certificate[3] }
  const hasty = await createService({ postgresPort: 0, ...tls, headersWithinMs: 300 })
  try {
    const begin = async (...parts: Buffer[]) => {
      const client = await WireClient.open(hasty.postgresPort)
      for (const part of parts) client.say(part)
      return client
    }
    const silent = [
      await begin(),
      await begin(Buffer.from([0])),
      await begin(startUp.subarray(0, 6)),
      await begin(startUp),
      await begin(startUp, Buffer.from('p')),
      await begin(gssRequest),
    ]
    for (const more of [Buffer.alloc(0), Buffer.from([0x16])]) {
      const client = await begin(sslRequest)
      silent.push((await client.hears(Buffer.from('S'))).say(more))
    }
    const encrypted = await begin(sslRequest)
    await encrypted.hears(Buffer.from('S'))
    await encrypted.encrypt()
    silent.push(encrypted.say(startUp.subarray(0, 6)))
    await Promise.all(silent.map((client) => client.whenClosed()))
  } finally {
    await hasty.close()
  }
})

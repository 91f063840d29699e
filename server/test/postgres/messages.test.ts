import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { engineOf } from '../fixtures/engineOf.js'
import { event } from '../fixtures/events.js'
import { spawnService, type Spawned, urlIn } from '../fixtures/spawnService.js'
import { message, WireClient } from '../fixtures/WireClient.js'
import { rounds, share } from '../fixtures/share.js'

/* What a client may say after its password: the engine reads it, in a process that a busy loop would stop. */

let folder: string
let service: Spawned
let url: string
let port: number
let engine: number | undefined
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-messages-'))
  const ports = ['--port', '0', '--postgres-port', '0', '--data', folder]
  const known = ['--users', 'ada:lovelace', '--api-keys', 'key', '--memory-limit', '256MB', '--quiet']
  service = spawnService([...ports, ...known], { direct: true })
  const line = await service.ready
  url = urlIn(line)
  port = Number(/:(\d+) \(Postgres\)/.exec(line ?? '')?.[1])
  engine = engineOf(service.pid)
})
afterAll(async () => {
  service.kill('SIGKILL')
  await service.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const clients: WireClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.leave()
})
const logIn = async () => {
  const client = await WireClient.logIn(port)
  clients.push(client)
  return client
}

const patience = () => AbortSignal.timeout(20_000)
const basic = `Basic ${Buffer.from('ada:lovelace').toString('base64')}`

/** Both processes answer, and the engine is the one of before. */
const stillAnswers = async () => {
  const body = JSON.stringify(event('alive'))
  const track = await fetch(`${url}/track?apiKey=key`, { method: 'POST', body, signal: patience() })
  const health = await fetch(`${url}/healthz`, { signal: patience() })
  const query = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ statement: 'SELECT 1' }),
    signal: patience(),
  })
  await query.arrayBuffer()
  expect([track.status, await health.json(), query.status]).toMatchObject([200, { engine: 'up' }, 200])
  expect(engineOf(service.pid)).toBe(engine)
}

const int16 = (value: number) => Buffer.from([(value >> 8) & 255, value & 255])
const int32 = (value: number) => Buffer.concat([int16(value >> 16), int16(value)])
const words = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))

const parse = words('s\0SELECT $1::INTEGER\0', int16(1), int32(23))
const bind = words('\0s\0', int16(1), int16(1), int16(1), int32(4), int32(7), int16(1), int16(1))

/** The body of each message, as a client sends it. */
const bodies: [letter: string, body: Buffer][] = [
  ['Q', words('SELECT 41 + 1\0')],
  ['P', parse],
  ['B', bind],
  ['D', words('Ss\0')],
  ['D', words('P\0')],
  ['E', words('\0', int32(0))],
  ['C', words('Ss\0')],
  ['F', words(int32(1), int16(0), int16(0), int16(0))],
]
const sync = message('S', '')
/** Prepares and binds what the messages above name. */
const prepared = Buffer.concat([message('P', parse), message('B', bind)])

const logInAll = (count: number) => Promise.all(Array.from({ length: count }, logIn))

describe.each(bodies)('a message %s', (letter, body) => {
  const whole = Buffer.concat([prepared, message(letter, body)])
  const cuts = share(
    [...whole.keys()],
    bodies.findIndex(([, other]) => other === body),
  )

  it('is understood wherever it is cut', async () => {
    const all = await logInAll(cuts.length)
    for (const [n, client] of all.entries()) client.say(whole.subarray(0, cuts[n]))
    await stillAnswers()
    for (const [n, client] of all.entries()) client.say(whole.subarray(cuts[n])).say(sync)
    expect(await Promise.all(all.map((client) => client.settles()))).not.toContain('closed')
  })

  it('may end before its fields do', async () => {
    const all = await logInAll(body.length)
    for (const [length, client] of all.entries()) {
      client
        .say(prepared)
        .say(message(letter, body.subarray(0, length)))
        .say(sync)
    }
    await Promise.all(all.map((client) => client.settles()))
    await stillAnswers()
  })

  it('may never come to its end', async () => {
    const all = await logInAll(cuts.length)
    for (const [n, client] of all.entries()) client.say(whole.subarray(0, cuts[n])).end()
    await Promise.all(all.map((client) => client.whenClosed()))
    await stillAnswers()
  })

  it.each([0, 3, 8 * 2 ** 20 + 5, 2 ** 31 - 1, -1, -4, -(2 ** 31)])(
    'is refused when it is said to have %i bytes',
    async (length) => {
      const client = await logIn()
      client.say(message(letter, body, length))
      expect((await client.whenClosed()).toString()).toContain('A message may have 8388608 bytes')
      await stillAnswers()
    },
  )
})

it('whatever a client says, the engine answers others', async () => {
  const letter = fc.constantFrom(...'QPBDECFHSdcfpX', '\0', 'z')
  const field = fc.oneof(
    fc.constantFrom('\0', 's\0', '\0s\0', 'SELECT $1\0', 'S', 'P').map((text) => Buffer.from(text)),
    fc.integer().map(int32),
    fc.integer().map(int16),
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  )
  const known = fc.constantFrom(...bodies).map(([type, body]) => message(type, body))
  const made = fc
    .tuple(letter, fc.array(field, { maxLength: 8 }))
    .map(([type, fields]) => message(type, Buffer.concat(fields)))
  const garbage = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes))
  const parts = fc.array(fc.oneof({ weight: 3, arbitrary: known }, { weight: 5, arbitrary: made }, garbage), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(parts, async (said) => {
      const client = await logIn()
      for (const part of said) client.say(part)
      client.say(sync).end()
      await client.whenClosed()
      await stillAnswers()
    }),
    { numRuns: rounds(150) },
  )
})

it('very many small messages at once keep nobody else from the engine', async () => {
  const client = await logIn()
  const flood = Buffer.concat(Array.from({ length: 1_000_000 }, () => message('d', '')))
  let isRead = false
  const settled = client.say(flood).say(sync).settles()
  void settled.finally(() => (isRead = true))
  await stillAnswers()
  expect(isRead).toBe(false)
  expect(await settled).toBe('ready')
})

import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { apiKey } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'
import { eventually } from '../fixtures/eventually.js'

const service = useService({ apiKeys: [apiKey, 'held by length', 'held by chunks', 'other'] })

describe('a large body', () => {
  const many = (times: number, item: string) => `[${`${item},`.repeat(times - 1)}${item}]`
  const item = JSON.stringify(
    event('many', { properties: { deep: { list: [1, 2.5, null] }, text: 'x'.repeat(300) } }),
  )

  it('of some thousand events is taken, each of them once and in order', async () => {
    const count = 20_000
    const body = Array.from({ length: count }, (_, at) => item.replace('"many"', `"many ${at}"`))
    const sent = `[${body.join(',')}]`
    expect(sent.length).toBeGreaterThan(8_000_000)
    const answer = await service.ingest('/track?sync=true', sent)
    expect(answer).toMatchObject({ status: 200, body: { ok: true } })
    const { rows } = await service.query(
      `SELECT count(*), count(DISTINCT event), arg_max(event, event_id) FROM events WHERE event LIKE 'many %'`,
    )
    expect(rows).toEqual([[count, count, `many ${count - 1}`]])
  })

  it('is stored as a small one is, also where a timestamp or half a character must be written anew', async () => {
    const odd = String.raw`{"environment":"production","event":"odd","timestamp":"2026-01-02","properties":{"n":12345678901234567890,"a":"\ud83d"}}`
    const body = ` [ ${odd} , ${many(2000, item).slice(1, -1)} , ${odd} ] `
    expect(await service.ingest('/track?sync=true', body)).toMatchObject({ status: 200 })
    const { rows } = await service.query(
      `SELECT "timestamp", properties->>'n', properties->>'a' FROM events WHERE event = 'odd'`,
    )
    const row = ['2026-01-02T00:00:00+00:00', '12345678901234567890', '\ufffd']
    expect(rows).toEqual([row, row])
  })

  const good = many(2000, item.replace('"many"', '"refused"')).slice(1, -1)
  it.each([
    [
      'an event that is none',
      `[${good},{}]`,
      'invalid-body',
      "/2000 must have required property 'environment'.",
    ],
    [
      'a property that is refused',
      `[${good},${JSON.stringify(event('refused', { properties: { $x: 1 } }))}]`,
      'unknown-built-in-property',
      'track 2000: the property "$x"',
    ],
    ['no JSON', `[${good},${good},{"a"]`, 'invalid-json', /^The body from track \d+ on is not JSON: /],
    ['a comma too many', `[${good},]`, 'invalid-json', 'is not JSON: '],
    ['brackets without end', '['.repeat(4_000_000), 'invalid-body', 'nested deeper than 128 levels'],
    [
      'a million empty events',
      many(1_000_000, '{}'),
      'invalid-body',
      "/0 must have required property 'environment'.",
    ],
    [
      'an event of a million values',
      `[${JSON.stringify(event('refused'))},{"properties":{"a":[${'0,'.repeat(1_000_000)}0]}}]`,
      'invalid-body',
      'An item of the body holds more than 50000 values.',
    ],
  ])('is refused whole for %s', async (_, body, code, message) => {
    const answer = await service.ingest('/track?sync=true', body)
    expect(answer.status).toBe(400)
    expect([answer.body['error_code'] ?? answer.body['error'], answer.body['message']]).toEqual([
      code,
      expect.stringMatching(
        message instanceof RegExp ? message : message.replaceAll(/[$.]/g, String.raw`\$&`),
      ),
    ])
    // What was accepted before this is stored when it is.
    await service.ingest('/track?sync=true', [event('later')])
    const { rows } = await service.query(
      `SELECT count(*) FILTER (event = 'refused'), count(*) FILTER (event = 'later') > 0 FROM events`,
    )
    expect(rows).toEqual([[0, true]])
  })
})

describe('large bodies of one key', () => {
  const megabytes = 15 * 1_048_576
  /** Announces a body, or comes with a part of it, and holds the rest back. */
  const hold = async (key: string, head: string, part: Buffer) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    let told = ''
    socket.on('data', (chunk: Buffer) => (told += chunk.toString()))
    await once(socket, 'connect')
    socket.write(`POST /track?apiKey=${encodeURIComponent(key)} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`)
    socket.write(part)
    return { socket, told: () => told }
  }

  it.each([
    ['with their lengths', 'held by length', `Content-Length: ${megabytes}`, Buffer.alloc(1)],
    [
      'in chunks',
      'held by chunks',
      'Transfer-Encoding: chunked',
      Buffer.concat([
        Buffer.from(`${megabytes.toString(16)}\r\n`),
        Buffer.alloc(megabytes, 0x20),
        Buffer.from('\r\n'),
      ]),
    ],
  ])(
    'that come %s may hold 32 MiB at once; more is answered 503, and small ones are taken',
    async (_, key, head, part) => {
      const ofKey = { 'x-api-key': key }
      const held = await Promise.all(Array.from({ length: 6 }, () => hold(key, head, part)))
      const refused = () => held.filter(({ told }) => told() !== '')
      await eventually(() => expect(refused()).toHaveLength(4))
      for (const { told } of refused()) {
        expect(told()).toMatch(
          /^HTTP\/1\.1 503 [^]*\r\nretry-after: 2\r\n[^]*"ok":false[^]*"error":"overloaded"/i,
        )
      }
      expect(await service.ingest('/track', event('small'), ofKey)).toMatchObject({ status: 200 })
      // Another key has room of its own.
      const large = event('large', { properties: { a: 'x'.repeat(1_000_000) } })
      expect(await service.ingest('/track', large, { 'x-api-key': 'other' })).toMatchObject({ status: 200 })
      for (const { socket } of held) socket.destroy()
      await eventually(async () =>
        expect(await service.ingest('/track', large, ofKey)).toMatchObject({ status: 200 }),
      )
    },
  )
})

describe('1,000 properties', () => {
  const withMany = (many: number) =>
    event('wide', { properties: Object.fromEntries(Array.from({ length: many }, (_, n) => [`p${n}`, n])) })

  it.each([
    ['alone', (wide: object) => wide],
    ['in a list', (wide: object) => [event('narrow'), wide]],
  ])('are taken, and one more is refused, %s', async (_, bodyWith) => {
    expect(await service.ingest('/track', bodyWith(withMany(1000)))).toMatchObject({ status: 200 })
    expect(await service.ingest('/track', bodyWith(withMany(1001)))).toMatchObject({
      status: 400,
      body: { error: 'invalid-body', message: expect.stringContaining('1000 properties or traits') },
    })
  })
})

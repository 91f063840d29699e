import { describe, expect, it } from 'vitest'
import { apiKey } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const names = async (prefix: string) =>
  (
    await service.query(`SELECT event FROM events WHERE starts_with(event, '${prefix}') ORDER BY event_id`)
  ).rows.flat()

describe('POST /track', () => {
  it('stores one event with every field', async () => {
    const answer = await service.ingest('/track?sync=true', {
      environment: 'production',
      event: 'Full',
      properties: { plan: 'pro', $url: 'https://a.example/', deep: { list: [1, 2.5, null] } },
      distinct_id: 'user-1',
      anonymous_id: 'anonymous-1',
      device_id: 'device-1',
      session_id: 'session-1',
      timestamp: 1_700_000_000_123,
    })
    expect(answer).toMatchObject({ status: 200, body: { ok: true, error_code: null } })
    const { rows } = await service.query(
      `SELECT "timestamp", environment, distinct_id, anonymous_id, device_id, session_id, person_id, properties
       FROM events WHERE event = 'Full'`,
    )
    expect(rows).toEqual([
      [
        '2023-11-14T22:13:20.123+00:00',
        'production',
        'user-1',
        'anonymous-1',
        'device-1',
        'session-1',
        'user-1',
        { plan: 'pro', $url: 'https://a.example/', deep: { list: [1, 2.5, null] } },
      ],
    ])
  })

  it('keeps the digits of whole numbers, also where it writes the timestamp in another way', async () => {
    const number = '123456789012345678901234567890'
    const body = `{"environment":"production","event":"digits","properties":{"big":${number},"timestamp":"2026-01-02"}`
    await service.ingest('/track?sync=true', `[${body},"timestamp":"2026-01-02"},${body},"timestamp":0}]`)
    const { rows } = await service.query(
      `SELECT "timestamp", properties FROM events WHERE event = 'digits' ORDER BY event_id`,
    )
    const properties = { big: number, timestamp: '2026-01-02' }
    expect(rows).toEqual([
      ['2026-01-02T00:00:00+00:00', properties],
      ['1970-01-01T00:00:00+00:00', properties],
    ])
  })

  it('stores an array in its order', async () => {
    await service.ingest(
      '/track?sync=true',
      Array.from({ length: 50 }, (_, at) => event(`order-${at}`)),
    )
    expect(await names('order-')).toEqual(Array.from({ length: 50 }, (_, at) => `order-${at}`))
  })

  it.each([
    ['X-API-Key', '', { 'x-api-key': apiKey }],
    ['a bearer token', '', { authorization: `Bearer ${apiKey}` }],
    ['?apiKey=', `?apiKey=${apiKey}`, {}],
  ])('takes the key as %s', async (_, search, headers) => {
    const answer = await service.send('POST', `/track${search}`, JSON.stringify(event('key')), {
      'content-type': 'application/json',
      ...headers,
    })
    expect(answer).toMatchObject({ status: 200, body: { ok: true } })
  })

  it.each([
    ['?apiKey=', `?apiKey=${apiKey}`, {}],
    ['X-API-Key', '', { 'x-api-key': apiKey }],
  ])('takes the key as %s beside the password of a staging site', async (_, search, headers) => {
    const body = JSON.stringify(event('staging site'))
    const answer = await service.send('POST', `/track${search}`, body, {
      authorization: 'Basic c3RhZ2luZzpzaXRl',
      ...headers,
    })
    expect(answer).toMatchObject({ status: 200, body: { ok: true } })
  })

  it('names the payload and the property that is no built-in one', async () => {
    const answer = await service.ingest('/track', [
      event('never'),
      event('never', { properties: { $url: 'https://shop.test/', $weird: 1 } }),
    ])
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error_code: 'unknown-built-in-property',
        message: 'track 1: the property "$weird" is no built-in one. Name your own without a leading $.',
      },
    })
  })

  it('cuts a long name between characters', async () => {
    const name = `$${'😀'.repeat(70)}`
    const { body } = await service.ingest('/track', event('never', { properties: { [name]: 1 } }))
    expect(body['message']).toContain(`"$${'😀'.repeat(59)}…"`)
  })

  it('lets X-API-Key decide when the key comes in several ways', async () => {
    const answer = await service.ingest(`/track?apiKey=${apiKey}`, event('precedence'), {
      'x-api-key': 'wrong',
      authorization: `Bearer ${apiKey}`,
    })
    expect(answer).toMatchObject({ status: 401, body: { ok: false, error: 'unauthorized' } })
  })

  it.each([{ 'x-api-key': 'wrong' }, { 'x-api-key': '' }])('answers 401 to the key %j', async (headers) => {
    expect(await service.ingest('/track', event('never'), headers)).toMatchObject({
      status: 401,
      body: { ok: false, task_id: null, error: 'unauthorized' },
    })
  })

  it('takes the text/plain of a beacon that wants no preflight', async () => {
    const answer = await service.ingest('/track', event('beacon'), {
      'content-type': 'text/plain;charset=UTF-8',
    })
    expect(answer.body['ok']).toBe(true)
  })

  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['compressed JSON', { 'content-encoding': 'gzip' }],
    ['a malformed Authorization', { 'x-api-key': undefined, authorization: 'Bearer' }],
    ['a key without its scheme', { 'x-api-key': undefined, authorization: apiKey }],
  ])('refuses %s with invalid-headers', async (_, headers) => {
    const given = Object.fromEntries(
      Object.entries({ 'content-type': 'application/json', 'x-api-key': apiKey, ...headers }).filter(
        ([, value]) => value !== undefined,
      ),
    )
    expect(await service.send('POST', '/track', JSON.stringify(event('never')), given)).toMatchObject({
      status: 400,
      body: { ok: false, error_code: 'invalid-headers' },
    })
  })

  it.each([
    ['environment-not-found', { environment: 'nowhere' }],
    ['event-name-too-long', { event: 'x'.repeat(401) }],
    ['event-name-too-long', { event: '😀'.repeat(401) }],
    ['property-name-too-long', { properties: { ['x'.repeat(401)]: 1 } }],
    ['unknown-built-in-property', { properties: { $mine: 1 } }],
  ])('refuses with %s', async (code, more) => {
    const answer = await service.ingest('/track', event('never', more))
    expect(answer).toMatchObject({ status: 400, body: { ok: false, task_id: null, error_code: code } })
    expect(answer.body['message']).toEqual(expect.any(String))
  })

  it('counts the 400 characters in code points', async () => {
    const answer = await service.ingest(
      '/track?sync=true',
      event('😀'.repeat(400), { properties: { ['é'.repeat(400)]: 1, ['😀'.repeat(400)]: 2 } }),
    )
    expect(answer.body['ok']).toBe(true)
    expect(await names('😀')).toEqual(['😀'.repeat(400)])
  })

  it('takes nothing of an array that holds one bad payload', async () => {
    const answer = await service.ingest('/track?sync=true', [
      event('prefix-1'),
      event('prefix-2', { properties: { ['x'.repeat(401)]: 1 } }),
      event('prefix-3'),
    ])
    expect(answer.body).toMatchObject({ ok: false, error_code: 'property-name-too-long' })
    expect(answer.body['message']).toContain('track 1')
    expect(await names('prefix-')).toEqual([])
  })

  it.each([
    ['no event', { environment: 'production', properties: {} }],
    ['an empty event name', event('')],
    ['no properties', { environment: 'production', event: 'never' }],
    ['properties that are a list', event('never', { properties: [] })],
    ['a number as an id', event('never', { distinct_id: 5 })],
    ['a timestamp that is no time', event('never', { timestamp: 'yesterday' })],
    ['a day that does not exist', event('never', { timestamp: '2026-02-30T00:00:00Z' })],
    ['a fraction of a millisecond', event('never', { timestamp: 1.5 })],
    ['a list in a list', [[event('never')]]],
    ['a string', '"never"'],
    ['broken JSON', '{"environment":'],
    ['an empty body', ''],
    ['a number out of range', '{"environment":"production","event":"never","properties":{"a":{"n":1e999}}}'],
    [
      'nesting without end',
      event('never', { properties: { a: JSON.parse('['.repeat(500) + ']'.repeat(500)) } }),
    ],
  ])('refuses %s with 400 and says where', async (_, body) => {
    const answer = await service.ingest('/track', body)
    expect(answer).toMatchObject({ status: 400, body: { ok: false, error_code: null } })
    expect(answer.body['message']).toMatch(/\w{4}/)
  })

  it('refuses bytes that are not UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"environment":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ])
    const answer = await service.send('POST', '/track', body, {
      'content-type': 'application/json',
      'x-api-key': apiKey,
    })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid-json' } })
  })

  it.each([
    ['2026-11-21T03:04:05.123Z', '2026-11-21T03:04:05.123+00:00'],
    ['2026-11-21T03:04:05+02:00', '2026-11-21T01:04:05+00:00'],
    ['2026-11-21T03:04:05', '2026-11-21T03:04:05+00:00'],
    ['2026-11-21T03:04Z', '2026-11-21T03:04:00+00:00'],
    ['20261121T030405,5+0200', '2026-11-21T01:04:05.5+00:00'],
    ['2026-11-21', '2026-11-21T00:00:00+00:00'],
    [-1, '1969-12-31T23:59:59.999+00:00'],
    [0, '1970-01-01T00:00:00+00:00'],
  ])('reads the timestamp %s', async (timestamp, stored) => {
    const name = `time-${timestamp}`
    await service.ingest('/track?sync=true', event(name, { timestamp }))
    const { rows } = await service.query(`SELECT "timestamp" FROM events WHERE event = '${name}'`)
    expect(rows).toEqual([[stored]])
  })

  it('uses the time of arrival when there is no timestamp', async () => {
    await service.ingest('/track?sync=true', event('arrival'))
    const { rows } = await service.query(
      `SELECT "timestamp" = received_at, abs(epoch(received_at) - epoch(now())) < 60 FROM events WHERE event = 'arrival'`,
    )
    expect(rows).toEqual([[true, true]])
  })

  it('keeps integers that JavaScript cannot hold', async () => {
    await service.ingest(
      '/track?sync=true',
      '{"environment":"production","event":"big","properties":{"order":9007199254740993}}',
    )
    const { rows } = await service.query(`SELECT properties->>'order' FROM events WHERE event = 'big'`)
    expect(rows).toEqual([['9007199254740993']])
  })

  it('stores a lone surrogate as the replacement character, and the neighbours untouched', async () => {
    await service.ingest(
      '/track?sync=true',
      '[{"environment":"production","event":"lone \\ud83d end","properties":{}},' +
        '{"environment":"production","event":"lone \\ud83d\\ude00 \\\\ud83d","properties":{}}]',
    )
    expect(await names('lone ')).toEqual(['lone \ufffd end', 'lone 😀 \\ud83d'])
  })

  it('takes a body that begins with a byte order mark', async () => {
    const answer = await service.ingest('/track?sync=true', `\uFEFF${JSON.stringify([event('marked é')])}`)
    expect(answer.body['ok']).toBe(true)
    expect(await names('marked ')).toEqual(['marked é'])
  })

  // JavaScript would read the last value of a field, and DuckDB the first.
  it.each([
    ['/track', '"environment":"hidden","event":"twice","properties":{},"environment":"production"'],
    ['/track', '"environment":"production","event":"twice","properties":{},"event":"twice"'],
    [
      '/track',
      '"distinct_id":"a","environment":"production","event":"twice","properties":{},"distinct_id":"b"',
    ],
    [
      '/track',
      String.raw`"distinct_id":"a","environment":"production","event":"twice","properties":{"n":[]},"distinct\u005fid":"b"`,
    ],
    ['/track', '"timestamp":1,"timestamp":2,"environment":"production","event":"twice","properties":{}'],
    ['/track', '"environment":"production","event":"twice","properties":{},"properties":{"a":1}'],
    [
      '/anonymous',
      '"session_id":"a","session_id":null,"environment":"production","event":"twice","properties":{}',
    ],
    [
      '/identify',
      '"environment":"production","distinct_id":"twice","distinct_id":"b","traits":{"email":"x"}',
    ],
    ['/identify', '"environment":"production","distinct_id":"twice","traits":{"a":1},"traits":{"b":{"c":2}}'],
    ['/alias', '"environment":"production","distinct_id":"twice","new_user_id":"a","new_user_id":"b"'],
  ])('refuses a payload with a field twice at %s: {%s}', async (path, fields) => {
    const name = path === '/anonymous' ? 'track' : path.slice(1)
    const fine = {
      ...event('next door'),
      ...(path === '/identify' && { distinct_id: 'fine' }),
      ...(path === '/alias' && { distinct_id: 'fine', new_user_id: 'also' }),
    }
    const asked = [`{${fields}}`, `[{${fields}}]`, `[${JSON.stringify(fine)},{${fields}}]`]
    for (const [at, body] of asked.entries()) {
      const answer = await service.ingest(`${path}?sync=true`, body)
      expect([answer.status, answer.body['error'], answer.body['message']]).toEqual([
        400,
        'invalid-body',
        `${name}${at === 0 ? '' : ` ${at - 1}`}: one of its fields comes twice. Send each once.`,
      ])
    }
    expect(await names('twice')).toEqual([])
  })

  it('takes events whose properties have the names of fields', async () => {
    const properties = { distinct_id: 'a', timestamp: 1, deep: { session_id: 1 } }
    const fields = { distinct_id: 'b', session_id: 's', timestamp: '2026-02-20T00:00:00Z' }
    const answer = await service.ingest('/track?sync=true', [event('alike', { properties, ...fields })])
    expect(answer.status).toBe(200)
  })

  it('answers an empty array with ok and no task', async () => {
    expect(await service.ingest('/track', [])).toMatchObject({
      status: 200,
      body: { ok: true, task_id: null },
    })
  })

  it('refuses a body over the cap with 413', async () => {
    const answer = await service.ingest(
      '/track',
      event('never', { properties: { a: 'x'.repeat(17_000_000) } }),
    )
    expect(answer).toMatchObject({ status: 413, body: { ok: false, error: 'body-too-large' } })
  })

  it('takes one megabyte of properties', async () => {
    await service.ingest('/track?sync=true', event('megabyte', { properties: { a: 'x'.repeat(1_000_000) } }))
    const { rows } = await service.query(
      `SELECT length(properties->>'a') FROM events WHERE event = 'megabyte'`,
    )
    expect(rows).toEqual([[1_000_000]])
  })
})

describe('insert_id', () => {
  const count = async (where: string) =>
    (await service.query(`SELECT count(*) FROM events WHERE ${where}`)).rows[0]?.[0]

  it('drops a second copy and still answers ok', async () => {
    const copy = event('copy', { properties: { insert_id: 'one' } })
    await service.ingest('/track?sync=true', copy)
    const answer = await service.ingest('/track?sync=true', [
      copy,
      event('beside', { properties: { insert_id: 'two' } }),
    ])
    expect(answer.body).toMatchObject({ ok: true })
    expect(await count(`event = 'copy'`)).toBe(1)
    expect(await count(`event = 'beside'`)).toBe(1)
  })

  it('drops a second copy within one array and keeps the first', async () => {
    const copies = [1, 2, 3].map((n) => event('same-array', { properties: { insert_id: 'three', n } }))
    await service.ingest('/track?sync=true', copies)
    const { rows } = await service.query(`SELECT properties->>'n' FROM events WHERE event = 'same-array'`)
    expect(rows).toEqual([['1']])
  })

  it('keeps the same insert_id in another environment', async () => {
    const properties = { insert_id: 'four' }
    await service.ingest('/track?sync=true', event('apart', { properties }))
    await service.ingest('/track?sync=true', event('apart', { properties, environment: 'staging' }))
    expect(await count(`event = 'apart'`)).toBe(2)
  })

  it('keeps another event with the same number of an order', async () => {
    const properties = { insert_id: '1042' }
    const both = [event('Paid', { properties }), event('Refunded', { properties })]
    await service.ingest('/track?sync=true', both)
    await service.ingest('/track?sync=true', both)
    expect(await count(`insert_id = '1042'`)).toBe(2)
  })

  it('keeps every event that carries none', async () => {
    await service.ingest('/track?sync=true', [event('plain'), event('plain')])
    expect(await count(`event = 'plain'`)).toBe(2)
  })

  it('remembers across a restart', async () => {
    const copy = event('restart', { properties: { insert_id: 'five' } })
    await service.ingest('/track', copy)
    await service.restart()
    await service.ingest('/track?sync=true', copy)
    expect(await count(`event = 'restart'`)).toBe(1)
  })
})

import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { eventually } from '../fixtures/eventually.js'
import { writeUsers } from '../fixtures/usersFile.js'
import { startReceiver } from './startReceiver.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

let folder: string
let service: Service
let receiver: Awaited<ReturnType<typeof startReceiver>>
/** Another one. */
let slow: typeof receiver
/** The clock of alerts, which tests put forward: each works in weeks of its own. */
const firstMs = Date.parse('2026-03-02T10:30:30Z')
let nowMs = firstMs

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-alerts-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: ['builder', 'read'] })
  receiver = await startReceiver()
  slow = await startReceiver()
  service = await createService({
    usersFile,
    now: () => nowMs,
    webhookHosts: ['public', receiver.host, slow.host],
  })
})
afterAll(async () => {
  await service.close()
  receiver.close()
  slow.close()
  rmSync(folder, { recursive: true })
})

const bob = `Basic ${Buffer.from('bob:builder').toString('base64')}`
const post = (path: string, item: object, authorization = basic) =>
  service.send('POST', path, JSON.stringify(item), { authorization })
const hook = () => [{ webhook: receiver.url, format: 'json' }]
const events = (name: string, more: object = {}) => ({
  ask: { name: 'explore', event: name },
  column: 'figure',
  label: `Events ${name}`,
  ...more,
})
const save = async (name: string, value: object | null) => {
  const { status, body } = await post('/saved', { kind: 'alert', name, value })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
const track = async (name: string, times: readonly number[]) =>
  service.ingest(
    '/track?sync=true',
    times.map((atMs, at) => event(name, { distinct_id: `p${at}`, timestamp: atMs })),
  )
const rows = async (statement: string) => (await service.query(statement)).rows
const statusOf = async (name: string) =>
  (await rows(`SELECT status FROM analytics.alerts WHERE name = '${name}'`))[0]?.[0]
const whenStatus = (name: string, status: string) =>
  eventually(async () => expect(await statusOf(name)).toBe(status))
let begun = 0
/** A new week, on whose Monday at 10:30 the test begins. */
const nextWeek = () => (nowMs = firstMs + ++begun * 5 * 7 * dayMs)
/** Waits until the service judges by that time: before, it would judge a new alert by the time that was. */
const whenJudged = async (untilMs: number) => {
  await save('Clock', { figures: [events('Beat')], over: 'hour', when: 'below', than: 0, to: hook() })
  const wanted = new Date(untilMs).toISOString().slice(0, 13).replace('T', ' ')
  const found = () => rows(`SELECT judged_until::VARCHAR FROM analytics.alerts WHERE name = 'Clock'`)
  await eventually(async () => expect(await found()).toEqual([[expect.stringContaining(wanted)]]))
  await save('Clock', null)
}

describe('an alert', () => {
  it('fires once, says what and why, and says once that it is over', async () => {
    const beginMs = nextWeek() - 30 * minuteMs - 30_000
    await whenJudged(beginMs)
    await track('Order', [beginMs - hourMs, beginMs - minuteMs])
    const { signing_secret: secret } = await save('Few orders', {
      figures: [events('Order')],
      ...{ over: 'hour', when: 'below', than: 3, to: hook() },
      ...{ page: 'https://stats.example/app/explore', search: 'event=Order' },
    })
    const [fired] = await receiver.whenReceived('Few orders', 1)
    const from = new Date(beginMs - hourMs).toISOString()
    const until = new Date(beginMs).toISOString()
    expect(fired?.message).toEqual({
      ...{ id: fired?.headers['webhook-id'], kind: 'fired', alert: 'Few orders', question: 'Events Order' },
      ...{ value: 2, expected: 'at least 3', since: until, from, until, timezone: 'UTC' },
      link: 'https://stats.example/app/explore?event=Order',
      made_at: new Date(nowMs).toISOString(),
      text: expect.stringMatching(
        /^Alert: Few orders\nEvents Order: 2 \([\d: -]+ to [\d: -]+, UTC\)\nExpected: at least 3\nSince: [\d: -]+\nhttps:/,
      ) as string,
    })
    const {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': signature,
    } = fired?.headers ?? {}
    const key = Buffer.from(String(secret).slice('whsec_'.length), 'base64')
    const signed = createHmac('sha256', key).update(`${id as string}.${seconds as string}.${fired?.body}`)
    expect(signature).toBe(`v1,${signed.digest('base64')}`)

    // The next hours are as bad, and nothing more is said.
    nowMs += hourMs
    await eventually(async () =>
      expect(
        await rows(`SELECT judged_until::VARCHAR FROM analytics.alerts WHERE name = 'Few orders'`),
      ).toEqual([
        [expect.stringContaining(new Date(beginMs + hourMs).toISOString().slice(0, 13).replace('T', ' '))],
      ]),
    )
    await track('Order', [nowMs, nowMs, nowMs])
    nowMs += hourMs
    const all = await receiver.whenReceived('Few orders', 2)
    expect(all.map(({ message }) => message.kind)).toEqual(['fired', 'recovered'])
    expect(all[1]?.message).toMatchObject({ value: 3, since: until })
    await whenStatus('Few orders', 'ok')
  })

  it('compares with the same time of the weeks before, of which there are any', async () => {
    nextWeek()
    const monday = nowMs - 10 * hourMs - 30 * minuteMs - 30_000
    // Sunday has 4, and the Sundays before it 10, 14 and none.
    const at = (weeks: number, count: number) =>
      Array.from({ length: count }, (_, second) => monday - dayMs - weeks * 7 * dayMs + second * 1000)
    await track('Visit', [...at(0, 4), ...at(1, 10), ...at(2, 14)])
    await save('Visits', {
      figures: [events('Visit')],
      ...{ over: 'day', when: 'changed', than: 50, to: hook() },
    })
    const [fired] = await receiver.whenReceived('Visits', 1)
    expect(fired?.message).toMatchObject({
      value: 4,
      expected: '6 to 18: 12 as the mean of the same time of 2 weeks, ± 50 %',
    })
  })

  it('says that a site’s events have stopped', async () => {
    nextWeek()
    await track('Beat', [nowMs - 5 * minuteMs])
    await save('Silence', {
      figures: [events('Beat')],
      over: 'minutes',
      minutes: 30,
      when: 'nothing',
      to: hook(),
    })
    await whenStatus('Silence', 'ok')
    nowMs += 40 * minuteMs
    const [fired] = await receiver.whenReceived('Silence', 1)
    expect(fired?.message).toMatchObject({ value: 0, expected: 'something in 30 minutes' })
  })

  it('takes the figure of a named row, and none as 0', async () => {
    nextWeek()
    const ranking = (is: string) => ({
      ask: { name: 'ranking', by: 'event' },
      ...{ column: 'times', row: { column: 'value', is } },
    })
    await track('Seen', [nowMs - 2 * hourMs, nowMs - hourMs])
    const test = (is: string) =>
      post('/alerts/test', {
        name: 'Row',
        value: { figures: [ranking(is)], over: 'minutes', minutes: 300, when: 'above', than: 1, to: hook() },
      })
    expect((await test('Seen')).body).toMatchObject({ value: 2, would_fire: true, expected: 'at most 1' })
    expect((await test('Never')).body).toMatchObject({ value: 0, would_fire: false })
  })

  it('is silent while it is paused, and gone once it is removed', async () => {
    nextWeek()
    const value = { figures: [events('Nobody')], over: 'hour', when: 'below', than: 1, to: hook() }
    await save('Paused', { ...value, paused: true })
    await save('Beside', value)
    await receiver.whenReceived('Beside', 1)
    expect(await statusOf('Paused')).toBe('paused')
    await save('Paused', { ...value, to: 'Paused' })
    await receiver.whenReceived('Paused', 1)
    await save('Paused', null)
    expect(await statusOf('Paused')).toBeUndefined()
    expect(await rows(`FROM analytics.alert_messages WHERE alert = 'Paused'`)).toEqual([])
  })

  it('says once that it cannot be judged, and why', async () => {
    nextWeek()
    const goal = { ask: { name: 'goal_totals', goal: 'Gone' }, column: 'people' }
    await save('No goal', { figures: [goal], over: 'hour', when: 'below', than: 1, to: hook() })
    await receiver.whenReceived('No goal', 1)
    nowMs += 2 * hourMs
    await eventually(async () =>
      expect(await rows(`SELECT error FROM analytics.alerts WHERE name = 'No goal'`)).toEqual([
        [expect.stringContaining('There is no goal Gone')],
      ]),
    )
    await post('/saved', { kind: 'goal', name: 'Gone', value: { event: 'x' } })
    nowMs += 2 * hourMs
    const all = await receiver.whenReceived('No goal', 2)
    expect(all.map(({ message }) => message.kind)).toEqual(['failed', 'fired'])
  })

  it('sends a digest of each day that ends after it was made, as text', async () => {
    nextWeek()
    await save('Daily', {
      figures: [events('Sale'), { ask: { name: 'ranking', by: 'event' }, label: 'Top events' }],
      ...{ over: 'day', when: 'digest', to: hook(), timezone: 'Europe/Vienna' },
    })
    await track('Sale', [nowMs, nowMs])
    nowMs += dayMs
    const [sent] = await receiver.whenReceived('Daily', 1)
    expect(sent?.message.kind).toBe('digest')
    expect(sent?.message.text).toMatch(
      /^Digest: Daily\n[\d-]+ 00:00 to [\d-]+ 00:00, Europe\/Vienna\nEvents Sale: 2 \(a week before: 0\)\nTop events:\nvalue \| times \| people\nSale \| 2 \| 2/,
    )
    nowMs += hourMs
    nowMs += dayMs
    const all = await receiver.whenReceived('Daily', 2)
    expect(all[1]?.message.text).toContain('Events Sale: 0')
  })
})

describe('a receiver', () => {
  const bad = () => ({ figures: [events('Nothing')], over: 'hour', when: 'below', than: 1 })

  it('that fails is tried again with the same id, and harms no other', async () => {
    nextWeek()
    receiver.answer = (response, { path, message }) => {
      if (path === '/hangs') return
      if (path === '/moves') return void response.writeHead(302, { location: '/hook' }).end()
      const isFirst = receiver.of(message.alert).filter((each) => each.path === path).length === 1
      if (path === '/fails' && isFirst) response.writeHead(500).end('out of\norder'.repeat(1000))
      else receiver.take(response)
    }
    const base = `http://${receiver.host}`
    const to = ['hangs', 'moves', 'fails', 'hook'].map((path) => ({
      webhook: `${base}/${path}`,
      format: 'json',
    }))
    await save('Tried', { ...bad(), to })
    const errors = () =>
      rows(
        `SELECT error, attempts, next_at IS NOT NULL FROM analytics.alert_messages WHERE alert = 'Tried' ORDER BY ALL`,
      )
    await eventually(async () =>
      expect(await errors()).toEqual([
        ['It answered 302, and redirects are not followed.', 1, true],
        [expect.stringMatching(/^It answered 500: out of order/), 1, true],
        ['It took more than 10 seconds.', 1, true],
        [null, 1, false],
      ]),
    )
    expect(receiver.of('Tried').filter(({ path }) => path === '/hook')).toHaveLength(1)
    receiver.answer = receiver.take
    nowMs += 20_000
    const all = await receiver.whenReceived('Tried', 7)
    expect(new Set(all.map(({ message }) => message.id)).size).toBe(1)
    await eventually(async () =>
      expect((await errors()).map(([error, , waits]) => [error, waits])).toEqual(
        Array.from({ length: 4 }, () => [null, false]),
      ),
    )
  })

  it('is given up after eight tries', async () => {
    nextWeek()
    receiver.answer = (response, { message }) =>
      message.alert === 'Away' ? void response.writeHead(503).end() : receiver.take(response)
    await save('Away', { ...bad(), to: hook() })
    const tries = async () =>
      (await rows(`SELECT attempts, next_at IS NULL FROM analytics.alert_messages WHERE alert = 'Away'`))[0]
    for (let count = 1; count <= 8; count++) {
      await eventually(async () => expect(await tries()).toEqual([count, count === 8]))
      nowMs += 12 * hourMs
    }
    expect(receiver.of('Away')).toHaveLength(8)
    receiver.answer = receiver.take
  })

  it('that hangs has two messages at once, and two hundred alerts for it keep no other from theirs', async () => {
    nextWeek()
    let [open, most] = [0, 0]
    slow.answer = (response) => {
      most = Math.max(most, ++open)
      response.once('close', () => open--)
    }
    const to = [{ webhook: slow.url, format: 'json' }]
    const names = Array.from({ length: 200 }, (_, at) => `slow ${at}`)
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => save(name, { ...bad(), to })))
    await eventually(() => expect(slow.received.length).toBeGreaterThan(1))
    await save('Quick', { ...bad(), to: hook() })
    await receiver.whenReceived('Quick', 1)
    expect(most).toBe(2)
    await Promise.all(names.map((name) => save(name, null)))
  })

  it('has an address that nobody is told', async () => {
    const secret = `${receiver.url}?token=abcdefgh`
    await save('Secret', { ...bad(), paused: true, to: [{ webhook: secret, format: 'slack' }] })
    const told = JSON.stringify([
      await rows('FROM analytics.saved'),
      await rows('FROM analytics.alerts'),
      await rows('FROM analytics.alert_messages'),
      await rows('FROM analytics.raw.alerts'),
      await rows('FROM analytics.raw.alert_messages'),
    ])
    expect(told).toContain(receiver.host)
    expect(told).not.toContain('abcdefgh')
    // Another alert may use it, and so may the same one once it is changed.
    await save('Secret', { ...bad(), paused: true, to: 'Secret' })
    const more = await save('Copy', { ...bad(), to: 'Secret' })
    expect(more['signing_secret']).toMatch(/^whsec_/)
    await eventually(() => expect(receiver.received.some(({ path }) => path.includes('abcdefgh'))).toBe(true))
  })
})

describe('who asks', () => {
  const value = () => ({ figures: [events('x')], over: 'hour', when: 'below', than: 1, to: hook() })

  it('makes and tests no alert with the role read', async () => {
    for (const [path, body] of [
      ['/saved', { kind: 'alert', name: 'Mine', value: value() }],
      ['/alerts/test', { name: 'Mine', value: value() }],
    ] as const)
      expect(await post(path, body, bob)).toMatchObject({ status: 403, body: { error: 'read-only-user' } })
  })

  it.each<[string, object]>([
    ['figures', { figures: [] }],
    ['figures', { figures: [events('x'), events('y')] }],
    ['figures/0/ask', { figures: [{ ask: { name: 'nothing' }, column: 'x' }] }],
    ['figures/0/ask', { figures: [{ ask: { name: 'totals', colour: 'red' }, column: 'x' }] }],
    ['figures/0/ask', { figures: [{ ask: { name: 'totals', from: '2026-01-01' }, column: 'x' }] }],
    ['figures/0/ask', { figures: [{ ask: { name: 'saved' }, column: 'x' }] }],
    ['figures/0/column', { figures: [{ ask: { name: 'totals' } }] }],
    ['than', { than: undefined }],
    ['than', { when: 'nothing', over: 'minutes', minutes: 30 }],
    ['than', { when: 'changed', than: 0 }],
    ['minutes', { over: 'minutes' }],
    ['minutes', { over: 'minutes', minutes: 1 }],
    ['over', { when: 'digest', than: undefined }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['to', { to: [] }],
    ['to/0/webhook', { to: [{ webhook: 'file:///etc/passwd', format: 'json' }] }],
    ['to/0/webhook', { to: [{ webhook: 'https://a:b@example.com/', format: 'json' }] }],
    ['to/0/format', { to: [{ webhook: 'https://example.com/' }] }],
    ['to/0/mail', { to: [{ mail: 'a@b.example\r\nBcc: c@d.example' }] }],
    ['mail', { to: [{ mail: 'a@b.example' }] }],
    ['page', { page: 'javascript:alert(1)' }],
    ['script', { script: 'x' }],
  ])('is told that %s is wrong', async (named, wrong) => {
    const given = { ...value(), ...wrong }
    const { status, body } = await post('/saved', { kind: 'alert', name: 'Wrong', value: given })
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid-body' })
    if (named !== 'script') expect(body['message']).toContain(named)
  })

  it('cannot reach the operator’s network', async () => {
    const urls = [
      ...[
        'http://127.0.0.1/',
        'http://2130706433/',
        'http://127.1:8080/',
        'http://[::1]/',
        'http://10.0.0.1/',
      ],
      ...['http://169.254.169.254/latest/meta-data', 'http://[::ffff:192.168.0.1]/', 'http://[fd00::1]/'],
    ]
    const to = urls.map((webhook) => ({ webhook, format: 'json' }))
    const { body } = await post('/alerts/test', { name: 'Inside', value: { ...value(), to } })
    const errors = (body['sent'] as { error: string }[]).map(({ error }) => error)
    expect(errors).toEqual(urls.map(() => expect.stringContaining('not public')))
  })
})

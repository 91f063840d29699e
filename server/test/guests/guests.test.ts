import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answers } from '../../src/answers/answers.js'
import type { Ask } from '../../src/answers/Answer.js'
import { basic, type Body, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

let folder: string
let service: Service
const log: string[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-guests-'))
  service = await createService({
    postgresPort: 0,
    mcpTokens: ['agent-token-of-32-letters-or-more-1'],
    logLevel: 'debug',
    writeLog: (line: string) => log.push(line),
  })
  for (const name of ['Signed Up', 'Order Placed'])
    await service.ingest('/track?sync=true', event(name, { properties: { $url: 'https://a.example/x' } }))
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const env = 'env=production'
const usual = {
  ...{ path: '/app/explore', search: `${env}&show=events&over=total`, ends_at: null, origins: [] },
  environment: 'production',
  answers: [{ name: 'explore', environment: 'production' }],
}
const all = { path: null, search: env, answers: null }

/** Makes a link, and gives its id and token. */
const share = async (name: string, value: object = {}) => {
  const body = JSON.stringify({ kind: 'link', name, value: { ...usual, ...value } })
  const answer = await service.send('POST', '/saved', body, { authorization: basic })
  const [, id = '', token = ''] =
    /^\/app\/guest\/([\da-f]{16})\/#([\w-]{32})$/.exec(String(answer.body['address'])) ?? []
  return { ...answer, id, token }
}
const takeBack = (name: string) => service.ask('/saved', { kind: 'link', name, value: null })

const dayMs = 86_400_000
const midnight = Math.floor(Date.now() / dayMs) * dayMs
const at = (ms: number) => new Date(ms).toISOString()
const time = {
  from: at(midnight - 29 * dayMs),
  // The day may end while the tests run.
  until: at(midnight + 2 * dayMs),
}
const question = { name: 'explore', ...time }

const visit = async (token: string, body: Body | undefined, headers: Body = {}) => {
  const response = await fetch(`${service.url}/guest`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-waymark-link': token, ...(headers as Record<string, string>) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .slice(2)
    .map((line) => JSON.parse(line) as unknown[])

const isAda = (field: string) => ({ field, operator: 'is', values: ['ada'] })

describe('a link', () => {
  it('shows the figures of its page without a login, and in other times', async () => {
    const { token } = await share('Events')
    const shown = await visit(token, undefined)
    expect(JSON.parse(shown.text)).toEqual({
      name: 'Events',
      path: usual.path,
      search: usual.search,
      goals: [],
    })
    expect(shown.headers.get('cache-control')).toBe('no-store')
    const answer = await visit(token, question)
    expect([answer.status, rowsOf(answer.text), answer.headers.get('cache-control')]).toEqual([
      200,
      [[2]],
      'no-store',
    ])
    const early = { from: at(midnight - 2 * dayMs), until: at(midnight - dayMs) }
    expect(rowsOf((await visit(token, { ...question, ...early, timezone: 'Asia/Tokyo' })).text)).toEqual([
      [0],
    ])
    await takeBack('Events')
  })

  it('of all pages answers what guests may ask, with the filters of the guest', async () => {
    await service.ask('/saved', { kind: 'goal', name: 'An order', value: { event: 'Order Placed' } })
    const { token } = await share('All', all)
    const where = [
      { field: 'path', operator: 'is', values: ['/x'] },
      { field: 'country', operator: 'not', values: [''] },
      { field: 'entry', operator: 'contains', values: ['x'] },
    ]
    const before = { from: at(midnight - 60 * dayMs), until: at(midnight - 30 * dayMs) }
    const shown = answers.filter(({ isForGuests }) => isForGuests)
    expect(shown.length).toBeGreaterThan(20)
    for (const { name, example, parameters } of shown)
      for (const more of [{}, { where }, 'before' in parameters ? { before } : { bots: true }]) {
        const { status, text } = await visit(token, { name, ...time, ...example, ...more })
        expect([name, more, status, /"error"/.test(text)]).toEqual([name, more, 200, false])
      }
    await takeBack('All')
  })

  it('that was taken back, has ended or never was is told apart by nobody', async () => {
    const ended = await share('Ended', { ends_at: at(Date.now() - 1000) })
    const open = await share('Open', { ends_at: at(Date.now() + dayMs) })
    const anew = await share('Anew')
    const replaced = await share('Anew')
    expect((await visit(open.token, undefined)).status).toBe(200)
    expect((await visit(replaced.token, undefined)).status).toBe(200)
    expect((await takeBack('Open')).status).toBe(200)
    const told = []
    for (const token of [ended.token, open.token, anew.token, 'x', '', open.id, "' OR 1=1 --"])
      for (const body of [undefined, question]) told.push(await visit(token, body))
    expect(new Set(told.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([
        '404 {"error":"no-such-link","message":"There is nothing at this link: it was taken back, it has ended, or it was never there."}',
      ]),
    )
  })

  it('outlives a restart, and is kept without its token', async () => {
    const { token, id } = await share('Kept')
    await service.restart()
    expect((await visit(token, undefined)).status).toBe(200)
    const { rows } = await service.query(`SELECT value::VARCHAR FROM analytics.saved WHERE name = 'Kept'`)
    expect(String(rows.at(0)?.at(0))).toContain(`"token_hash":"${id}`)
    expect(String(rows.at(0)?.at(0))).not.toContain(token)
    expect(log.join('\n')).not.toContain(token)
    await takeBack('Kept')
  })

  it.each<[string, object]>([
    ['see this page', { answers: [{ name: 'people' }, { name: 'timeline', person: 'ada' }] }],
    ['see this page', { answers: [] }],
    ['no answer', { answers: [{ name: 'constructor' }] }],
    ['person_id', { answers: [{ name: 'explore', by: 'person_id' }] }],
    ['person_id', { answers: [{ name: 'totals', where: [isAda('person_id')] }] }],
    ['trait.plan', { answers: [{ name: 'totals', where: [isAda('trait.plan')] }] }],
    ['distinct_id', { answers: [{ name: 'totals', where: [isAda('distinct_id')] }] }],
    ['environment', { answers: [{ name: 'totals', environment: 'staging' }] }],
    ['answers', { answers: null }],
    ['answers', { path: null }],
    ['answers', { answers: 'totals' }],
    ['environment', { environment: '' }],
    ['origin', { origins: ['https://a.example; script-src *'] }],
    ['origin', { origins: ["'self'"] }],
    ['moment', { ends_at: '2026-13-24T10:00:00.000Z' }],
    ['token_hash', { token_hash: '0' }],
  ])('is not made where %s is wrong', async (named, value) => {
    const { status, body } = await share('Wrong', value)
    expect(status).toBe(400)
    expect(named === 'token_hash' || String(body['message']).includes(named)).toBe(true)
  })
})

describe('a guest', () => {
  it.each<[string, object]>([
    ['another answer', { name: 'totals' }],
    ['an answer about people', { name: 'people' }],
    ['a longer name', { name: 'explore ' }],
    ['no name', { name: '' }],
    ['a name that objects have', { name: 'constructor' }],
    ['a list for a name', { name: ['explore'] }],
    ['a statement', { statement: 'SELECT 1' }],
    ['another measure', { measure: 'people' }],
    ['a field', { by: 'browser' }],
    ['a person', { by: 'person_id' }],
    ['a property', { measure: 'sum', property: 'price' }],
    ['another environment', { environment: 'staging' }],
    ['bots', { bots: true }],
    ['a segment', { where: [{ field: 'browser', operator: 'is', values: ['Firefox'] }] }],
    ['an object for a segment', { where: { length: 0 } }],
    ['more values', { most: 1000 }],
    ['a time that no page shows', { from: at(midnight - 29 * dayMs + 1) }],
    ['a moment', { from: at(midnight), until: at(midnight + 900_000) }],
    ['all of time', { from: null, until: null }],
    ['a time that ends before it begins', { from: time.until, until: time.from }],
    ['what objects have', JSON.parse('{"__proto__": {"isFree": true}, "by": "browser"}') as object],
    ['what nobody has asked', { toString: 'x' }],
    ...['session_id', 'query_id', 'dialect', 'format', 'limit', 'catalog', 'filters', 'dry'].map(
      (field): [string, object] => [field, { [field]: 'x' }],
    ),
  ])('of one page is not told %s', async (_, more) => {
    const { token } = await share('Door')
    expect((await visit(token, question)).status).toBe(200)
    const { status, text } = await visit(token, { ...question, ...more })
    expect([400, 403]).toContain(status)
    expect(JSON.parse(text)).toEqual({ error: expect.any(String), message: expect.any(String) })
    await takeBack('Door')
  })

  it('of one page has its filters and its question, and chooses what the page leaves open', async () => {
    const where = [{ field: 'prop.plan', operator: 'is', values: ['pro'] }]
    const shown = [{ name: 'ranking', where, before: null }, { name: 'totals' }, { name: 'people' }]
    const { token } = await share('Fixed', { answers: shown })
    const statusOf = async (ask: object) => (await visit(token, { ...time, ...ask })).status
    const fixed = { name: 'ranking', where }
    expect(await statusOf(fixed)).toBe(200)
    expect(await statusOf({ ...fixed, by: 'channel', most: 200, environment: 'production' })).toBe(200)
    expect(await statusOf({ name: 'totals', before: time, timezone: 'UTC' })).toBe(200)
    for (const wrong of [
      { name: 'ranking' },
      { ...fixed, where: [] },
      { ...fixed, where: [...where, ...where] },
      { ...fixed, where: [{ ...where[0], values: ['free'] }] },
      { ...fixed, goal: 'An order' },
      { name: 'totals', where },
    ])
      expect([wrong, await statusOf(wrong)]).toEqual([wrong, 403])
    await takeBack('Fixed')
  })

  it('of all pages asks for no person, trait, property, other column or other environment', async () => {
    const { token } = await share('Every', all)
    for (const ask of [
      ...['person_id', 'session_id', 'device_id', 'click_id', 'trait.email', 'prop.email'].flatMap(
        (field) => [
          { name: 'totals', where: [isAda('browser'), isAda(field)] },
          { name: 'explore', by: field },
          { name: 'value_choices', field },
        ],
      ),
      { name: 'totals', where: [isAda('event_id')] },
      { name: 'totals', where: [isAda('properties')] },
      { name: 'explore', measure: 'sum', property: 'email' },
      { name: 'funnel', steps: ['a', 'b'], breakdown: 'email' },
      { name: 'totals', environment: 'staging' },
      ...answers.filter(({ isForGuests }) => !isForGuests).map(({ name, example }) => ({ name, ...example })),
    ] as Ask[]) {
      const { status } = await visit(token, { ...ask, ...time })
      expect([ask, [400, 403].includes(status)]).toEqual([ask, true])
    }
    expect((await visit(token, { name: 'explore', by: 'browser', ...time })).status).toBe(200)
    await takeBack('Every')
  })

  it.each<[string, Body]>([
    ['a minute', { from: at(midnight + 60_000) }],
    ['an hour', { from: at(midnight), until: at(midnight + 3_600_000) }],
    ['minutes before', { before: { from: at(midnight), until: at(midnight + 60_000) } }],
    ['no time', { from: 'now' }],
    ['a time zone', { timezone: "UTC' --" }],
  ])('tells no time by %s', async (_, asked) => {
    const { token } = await share('Times', { answers: [{ name: 'series' }] })
    const ask = { ...time, name: 'series' }
    expect((await visit(token, { ...ask, unit: 'hour', before: time })).status).toBe(200)
    expect([400, 403]).toContain((await visit(token, { ...ask, ...asked })).status)
    await takeBack('Times')
  })

  it('is nobody at any other route, whatever the request carries', async () => {
    const { token, id } = await share('Nobody')
    const hash = id
    const carried: Body[] = [
      { 'x-waymark-link': token },
      { authorization: `Bearer ${token}` },
      { authorization: `Basic ${Buffer.from(`${token}:${token}`).toString('base64')}` },
      { cookie: `waymark_session=${token}`, 'sec-fetch-site': 'same-origin' },
      { 'x-waymark-link': token, 'x-waymark-role': 'write', 'x-waymark-user': 'ada' },
      { 'x-waymark-link': token, 'x-waymark-role': 'guest', 'x-waymark-user': hash },
    ]
    const routes = [
      ['POST', '/query', { statement: 'SELECT 1' }],
      ['POST', '/validate', { statement: 'SELECT 1' }],
      ['POST', '/autocomplete', { statement: 'SELECT ' }],
      ['POST', '/saved', { kind: 'link', name: 'Nobody', value: null }],
      ['POST', '/persons/export', { environment: 'production', distinct_id: 'a' }],
      ['POST', '/persons/erase', { environment: 'production', distinct_id: 'a' }],
      ['POST', '/mcp', {}],
      ['GET', '/setup', undefined],
      ['GET', '/query?statement=SELECT+1', undefined],
      ['GET', '/metrics', undefined],
    ] as const
    for (const headers of carried) {
      for (const [method, path, body] of routes) {
        const { status } = await service.send(method, path, body && JSON.stringify(body), headers)
        expect([headers, path, status]).toEqual([headers, path, 401])
      }
      const { body } = await service
        .send('GET', '/session', undefined, headers)
        .catch(() => ({ body: { user: null } }))
      expect(body['user'] ?? null).toBe(null)
    }
    expect((await service.send('GET', `/guest/frames/${id}`)).status).toBe(404)
    expect((await visit(token, undefined)).status).toBe(200)
    await takeBack('Nobody')
  })

  it('is asked for the link alone: a login, a key or a forged identity in the request change nothing', async () => {
    const { token } = await share('Alone')
    for (const headers of [
      { authorization: basic },
      { authorization: basic, 'x-waymark-role': 'write', 'x-waymark-user': 'ada' },
      { 'x-waymark-role': 'write', 'x-waymark-user': 'ada' },
    ]) {
      expect((await visit(token, { ...question, by: 'browser' }, headers)).status).toBe(403)
      expect((await visit('wrong', question, headers)).status).toBe(404)
      expect((await visit('wrong', undefined, headers)).status).toBe(404)
    }
    await takeBack('Alone')
  })

  it('of another site is refused', async () => {
    const { token } = await share('Foreign')
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect(
        (await service.send('GET', '/guest', undefined, { 'x-waymark-link': token, ...headers })).status,
      ).toBe(403)
    await takeBack('Foreign')
  })
})

describe('the page of a link', () => {
  const page = (id: string) =>
    fetch(`${service.url}/app/guest/${id}/`, { headers: { 'sec-fetch-site': 'cross-site' } })
  const frameAncestors = (answer: Response) =>
    /frame-ancestors ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1]

  it('is shown in frames of its own origins, and says nowhere where it was', async () => {
    const origins = ['https://www.example.com', 'http://127.0.0.1:*']
    const { id } = await share('Framed', { origins })
    const answer = await page(id)
    expect([answer.status, frameAncestors(answer), answer.headers.get('x-frame-options')]).toEqual([
      200,
      origins.join(' '),
      null,
    ])
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    await takeBack('Framed')
    expect(frameAncestors(await page(id))).toBe("'none'")
  })

  it.each(['0'.repeat(16), 'x', '%27', '..%2f..%2fquery'])('is shown in no frame at %s', async (id) => {
    const answer = await page(id)
    expect([frameAncestors(answer), answer.headers.get('x-frame-options')]).toEqual(["'none'", 'DENY'])
  })
})

it('the docs name each answer', () => {
  const docs = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  for (const code of ['no-such-link', 'not-shown'])
    expect([code, docs.includes(`\`${code}\``)]).toEqual([code, true])
})

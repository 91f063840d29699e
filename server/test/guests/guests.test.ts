import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadGuestStatements } from '../../src/guests/guestStatements.js'
import { basic, type Body, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { refusedCalls } from '../sql/guard/escapes.js'
import { fileReads, settings, several, writes } from '../sql/guard/escapes.js'

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
const usual = { path: '/app/explore', search: `${env}&show=events&over=total`, ends_at: null, origins: [] }

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
  before: null,
  unit: 'day',
  time_zone: 'UTC',
}
const question = { path: usual.path, search: usual.search, ...time }

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

/** Asks each statement that the link's page makes, and gives the rows of the last. */
const statementsFor = async (link: { path: string | null; search: string }, asked: Body = {}) => {
  const { guestStatements } = await loadGuestStatements()
  return guestStatements(link, { ...question, ...asked })
}

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
    const statement = (await statementsFor(usual)).at(-1)!
    const answer = await visit(token, { ...question, statement })
    expect([answer.status, rowsOf(answer.text), answer.headers.get('cache-control')]).toEqual([
      200,
      [[2]],
      'no-store',
    ])
    const early = { from: at(midnight - 2 * dayMs), until: at(midnight - dayMs) }
    const earlier = (await statementsFor(usual, early)).at(-1)!
    expect(rowsOf((await visit(token, { ...question, ...early, statement: earlier })).text)).toEqual([[0]])
    await takeBack('Events')
  })

  it('of all pages answers what each of them asks, with the filters of the guest', async () => {
    const all = { path: null, search: env }
    const answered = new Set<string>()
    await service.ask('/saved', { kind: 'goal', name: 'An order', value: { event: 'Order Placed' } })
    const { token } = await share('All', all)
    const filters = '&filter=path%7Cis%7C%2Fx&filter=country%7Cnot%7C&filter=entry%7Ccontains%7Cx'
    const before = { from: at(midnight - 60 * dayMs), until: at(midnight - 30 * dayMs) }
    for (const [path, search] of [
      ['/app/', '&crawler=GPTBot'],
      ['/app/', `${filters}&goal=An+order`],
      ['/app/explore', `${filters}&by=browser&over=day`],
      ['/app/explore', '&show=bounce_rate&by=entry&bots=1'],
      ['/app/funnel', '&step=Signed+Up&step=Order+Placed&by=%24country'],
      ['/app/retention', '&first=Signed+Up&unit=day'],
      ['/app/paths', '&start=%2Fx&fold=%2Fuser%2F*&more=1'],
      ['/app/vitals', filters],
      ['/app/errors', filters],
    ] as const) {
      const asked = { path, search: env + search, before }
      for (const statement of await statementsFor(all, asked)) {
        const { status, text } = await visit(token, { ...question, ...asked, statement })
        expect([statement, status, /"error"/.test(text)]).toEqual([statement, 200, false])
        answered.add(path)
      }
    }
    expect(answered.size).toBe(7)
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
    const statement = (await statementsFor(usual)).at(-1)!
    const answers = []
    for (const token of [ended.token, open.token, anew.token, 'x', '', open.id, "' OR 1=1 --"])
      for (const body of [undefined, { ...question, statement }]) answers.push(await visit(token, body))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
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
    ['see this page', { path: '/app/sql' }],
    ['see this page', { path: '/app/persons' }],
    ['see this page', { path: '/app/live' }],
    ['see this page', { path: 'constructor' }],
    ['Person', { search: `${env}&by=person_id` }],
    ['Person', { search: `${env}&filter=person_id%7Cis%7Cada` }],
    ['Trait plan', { search: `${env}&filter=trait.plan%7Cis%7Cpro` }],
    ['distinct_id', { search: `${env}&filter=distinct_id%7Cis%7Cada` }],
    ['environment', { search: 'show=events' }],
    ['origin', { origins: ['https://a.example; script-src *'] }],
    ['origin', { origins: ["'self'"] }],
    ['moment', { ends_at: '2026-13-24T10:00:00.000Z' }],
    ['token_hash', { token_hash: '0' }],
  ])('is not made where %s is wrong', async (named, value) => {
    const { status, body } = await share('Wrong', value)
    expect([status, body['error']]).toEqual([400, 'invalid-body'])
    expect(named === 'token_hash' || String(body['message']).includes(named)).toBe(true)
  })
})

describe('a guest', () => {
  it('has no statement run but those of the page', async () => {
    const { token } = await share('Door')
    const [own = ''] = await statementsFor(usual)
    const tries = [
      ...[...refusedCalls, ...writes, ...settings, ...several, ...fileReads('/etc/passwd')],
      'SELECT 1',
      'FROM analytics.persons',
      'FROM analytics.events',
      `${own} `,
      `${own};`,
      `${own} -- x`,
      `${own}; SELECT 1`,
      own.replace('production', 'staging'),
      own.replaceAll('analytics.events', 'analytics.persons'),
    ]
    for (const statement of tries) {
      const { status, text } = await visit(token, { ...question, statement })
      expect([statement, status, JSON.parse(text)]).toEqual([
        statement,
        403,
        { error: 'not-shown', message: 'This link does not show that.' },
      ])
    }
    expect((await visit(token, { ...question, statement: own })).status).toBe(200)
    await takeBack('Door')
  })

  it('of one page has its filters, its environment and its question, whatever the guest says', async () => {
    const fixed = { path: '/app/explore', search: `${env}&show=events&filter=browser%7Cis%7CFirefox` }
    const { token } = await share('Fixed', fixed)
    for (const [shown, asked] of [
      [{ ...fixed, search: `${env}&show=events` }, {}],
      [{ ...fixed, search: `env=staging&show=events&filter=browser%7Cis%7CFirefox` }, {}],
      [
        { path: null, search: env },
        { path: '/app/', search: '' },
      ],
      [{ path: '/app/explore', search: `${env}&show=people&filter=browser%7Cis%7CFirefox` }, {}],
    ] as const) {
      const kept = new Set(await statementsFor(fixed))
      const statements = (await statementsFor(shown, asked)).filter((each) => !kept.has(each))
      expect(statements.length).toBeGreaterThan(0)
      for (const statement of statements)
        for (const more of [asked, { search: shown.search }])
          expect((await visit(token, { ...question, ...more, statement })).status).toBe(403)
    }
    await takeBack('Fixed')
  })

  it('of all pages asks for no person, trait, property, other column or other environment', async () => {
    const all = { path: null, search: env }
    for (const asked of [
      { search: 'filter=person_id%7Cis%7Cada' },
      { search: 'filter=session_id%7Cis%7Cada' },
      { search: 'filter=device_id%7Cis%7Cada' },
      { search: 'filter=trait.email%7Cis%7Cada' },
      { search: 'filter=prop.email%7Cis%7Cada' },
      { search: 'filter=event_id%7Cis%7Cada' },
      { search: 'filter=properties%7Ccontains%7Cada' },
      { search: 'by=person_id' },
      { search: 'by=prop.email' },
      { search: 'show=sum&property=email' },
      { path: '/app/funnel', search: 'step=a&step=b&by=email' },
      { path: '/app/persons', search: '' },
      { path: '/app/sql', search: '' },
      { path: '/app/live', search: '' },
      { path: '__proto__', search: '' },
    ])
      expect([asked, await statementsFor(all, asked)]).toEqual([asked, []])
    const statements = await statementsFor(all, { path: '/app/', search: 'env=staging' })
    expect(statements.filter((each) => each.includes('staging'))).toEqual([])
  })

  it.each<[string, Body]>([
    ['a minute', { from: at(midnight + 60_000) }],
    ['an hour', { from: at(midnight), until: at(midnight + 3_600_000) }],
    ['minutes before', { before: { from: at(midnight), until: at(midnight + 60_000) } }],
    ['no time', { from: 'now' }],
    ['another unit', { unit: "day'" }],
  ])('tells no time by %s', async (_, asked) => {
    expect(await statementsFor(usual, asked)).toEqual([])
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
    const statement = 'SELECT 1'
    for (const headers of [
      { authorization: basic },
      { authorization: basic, 'x-waymark-role': 'write', 'x-waymark-user': 'ada' },
      { 'x-waymark-role': 'write', 'x-waymark-user': 'ada' },
    ]) {
      expect((await visit(token, { ...question, statement }, headers)).status).toBe(403)
      expect((await visit('wrong', { ...question, statement }, headers)).status).toBe(404)
      expect((await visit('wrong', undefined, headers)).status).toBe(404)
    }
    for (const field of ['session_id', 'query_id', 'dialect', 'format', 'limit', 'catalog', 'filters'])
      expect((await visit(token, { ...question, statement, [field]: 'x' })).status).toBe(400)
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

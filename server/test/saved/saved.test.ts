import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { basic, type Body, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { writeUsers } from '../fixtures/usersFile.js'

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-saved-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: ['builder', 'read'] })
  service = await createService({ usersFile })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const save = (item: object, authorization = basic) =>
  service.send('POST', '/saved', JSON.stringify(item), { authorization })
const goal = (name: string, value: object | null, more: object = {}) =>
  save({ kind: 'goal', name, value, ...more })
const rows = async (statement: string) => (await service.query(statement)).rows
const list = () => rows(`SELECT kind, name, value::VARCHAR FROM analytics.saved ORDER BY ALL`)

/** Nothing is saved when a test begins. */
beforeEach(async () => {
  const left = await rows('SELECT kind, name FROM analytics.saved')
  await Promise.all(left.map(([kind, name]) => save({ kind, name, value: null })))
})

describe('what is saved', () => {
  it('is there at once, is replaced under its name, renamed and removed', async () => {
    expect(await goal('Sign-up', { event: 'sign_up' })).toMatchObject({ status: 200, body: { ok: true } })
    await goal('Sign-up', { event: 'Signed Up' })
    await save({ kind: 'view', name: 'Sign-up', value: { path: '/app/', search: 'range=7d' } })
    await goal('New account', { event: 'Signed Up' }, { was: 'Sign-up' })
    expect(await list()).toEqual([
      ['goal', 'New account', '{"event":"Signed Up"}'],
      ['view', 'Sign-up', '{"path":"/app/","search":"range=7d"}'],
    ])
    await goal('New account', null)
    await save({ kind: 'view', name: 'Sign-up', value: null })
    expect(await list()).toEqual([])
  })

  it('says who changed it, and outlives a restart', async () => {
    const at = '2026-11-24T10:00:00.000Z'
    await save({ kind: 'annotation', name: 'a1', value: { at, text: 'Launch “Ü” 🎉' } })
    await service.restart()
    expect(
      await rows(`SELECT changed_by, value->>'text', changed_at > '2026-01-01' FROM analytics.saved`),
    ).toEqual([['ada', 'Launch “Ü” 🎉', true]])
  })

  it('is read, and not written, by a user who may only read', async () => {
    const bob = `Basic ${Buffer.from('bob:builder').toString('base64')}`
    const refused = await save({ kind: 'goal', name: 'x', value: { event: 'y' } }, bob)
    expect(refused).toMatchObject({ status: 403, body: { error: 'read-only-user' } })
    expect((await save({ kind: 'goal', name: 'x', value: null }, 'Basic eA==')).status).toBe(401)
  })

  it.each<[string, Body]>([
    ['kind', { kind: 'dashboard', name: 'x', value: null }],
    ['name', { kind: 'goal', name: ' ', value: { event: 'x' } }],
    ['name', { kind: 'goal', name: 'half \ud800', value: { event: 'x' } }],
    ['name', { kind: 'goal', name: 'x'.repeat(121), value: { event: 'x' } }],
    ['value', { kind: 'goal', name: 'x', value: 'sign_up' }],
    ['an event, or', { kind: 'goal', name: 'x', value: {} }],
    ['both', { kind: 'goal', name: 'x', value: { property: 'plan' } }],
    ['both', { kind: 'goal', name: 'x', value: { event: 'y', value: 'pro' } }],
    ['additional', { kind: 'goal', name: 'x', value: { event: 'y', script: 'z' } }],
    ['path', { kind: 'view', name: 'x', value: { path: '//evil.example/', search: '' } }],
    ['path', { kind: 'view', name: 'x', value: { path: '/app/sql', search: 'q=SELECT+1' } }],
    ['at', { kind: 'annotation', name: 'x', value: { at: 'today', text: 'y' } }],
    ['moment', { kind: 'annotation', name: 'x', value: { at: '2026-13-24T10:00:00.000Z', text: 'y' } }],
  ])('is refused where %s is wrong, and nothing is lost', async (named, item) => {
    await goal('x', { event: 'kept' })
    const { status, body } = await save(item)
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid-body' })
    expect(body['message']).toContain(named)
    expect(await list()).toEqual([['goal', 'x', '{"event":"kept"}']])
  })

  it('has a limit, beyond which nothing is lost', async () => {
    const names = Array.from({ length: 500 }, (_, at) => `g${at}`)
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => goal(name, { event: 'x' })))
    const refused = await goal('one more', { event: 'x' })
    expect(refused).toMatchObject({ status: 409, body: { error: 'not-saved' } })
    expect((await goal('renamed', { event: 'x' }, { was: 'g0' })).status).toBe(200)
    expect(await rows('SELECT count(*) FROM analytics.saved')).toEqual([[500]])
  })
})

describe('goal_events', () => {
  beforeAll(async () => {
    const view = (who: string, path: string, more: Body = {}) =>
      event('$pageview', {
        distinct_id: who,
        session_id: `s-${who}`,
        properties: { $url: `https://shop.example${path}`, ...more },
      })
    await service.ingest('/track?sync=true', [
      view('a', '/docs/start?x=1'),
      view('a', '/docs'),
      view('b', '/docs/100%_sure'),
      view('c', '/pricing', { plan: 'pro' }),
      event('Ordered', { distinct_id: 'c', session_id: 's-c', properties: { plan: 'pro', $release: '7' } }),
      event('Ordered', { distinct_id: 'd', properties: { plan: 'free' } }),
      event('/docs/start', { distinct_id: 'e' }),
      event('Ordered', { distinct_id: 'f', environment: 'staging' }),
    ])
  })

  it.each<[string, object, string[]]>([
    ['an event', { event: 'Ordered' }, ['c', 'd']],
    ['a path', { event: '/docs' }, ['a']],
    ['a pattern', { event: '/docs/*' }, ['a', 'b']],
    ['a pattern with signs of LIKE', { event: '/docs/100%_*' }, ['b']],
    ['no other sign for any text', { event: '/doc_' }, []],
    ['no sign but * for more', { event: '/docs/%' }, []],
    ['a property', { property: 'plan', value: 'pro' }, ['c', 'c']],
    ['a built-in property', { property: '$release', value: '7' }, ['c']],
    ['an event with a property', { event: 'Ordered', property: 'plan', value: 'free' }, ['d']],
    ['a page with a property', { event: '/pri*', property: 'plan', value: 'pro' }, ['c']],
  ])('are those of %s', async (_, value, persons) => {
    await goal('it', value)
    expect((await rows(`SELECT person_id FROM analytics.goal_events('it') ORDER BY 1`)).flat()).toEqual(
      persons,
    )
  })

  it('says that there is no such goal', async () => {
    const { error } = await service.query(`FROM analytics.goal_events('gone')`)
    expect(error).toMatchObject({ message: expect.stringContaining('There is no goal gone.') })
  })
})

const card = {
  ...{ id: 'c1', path: '/app/', search: '', card: 'time', title: 'People', width: 3, own: [] },
  asks: [{ name: 'series' }],
}
const board = (version: number, more: object = {}) =>
  save({
    kind: 'board',
    name: 'b1',
    value: { title: 'Ours', search: 'env=production', version, cards: [card], ...more },
  })

describe('a board', () => {
  it('is changed by who has seen it as it is, and never half', async () => {
    expect((await board(1)).status).toBe(200)
    const changes = await Promise.all(['A', 'B', 'C'].map((title) => board(2, { title, cards: [] })))
    expect(changes.filter(({ status }) => status === 409)).toHaveLength(2)
    const refused = changes.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({ error: 'not-saved', message: expect.stringContaining('Somebody') })
    const winner = ['A', 'B', 'C'][changes.findIndex(({ status }) => status === 200)]
    const kept =
      await rows(`SELECT value->>'title', (value->>'version')::INTEGER, json_array_length(value->'cards')
      FROM analytics.saved WHERE kind = 'board'`)
    expect(kept).toEqual([[winner, 2, 0]])
    expect((await save({ kind: 'board', name: 'b1', value: null })).status).toBe(200)
    expect((await board(3)).status).toBe(409)
    expect(await list()).toEqual([])
  })

  it.each<[string, object]>([
    ['path', { cards: [{ ...card, path: '/app/sql' }] }],
    ['path', { cards: [{ ...card, path: 'https://evil.example/' }] }],
    ['card', { cards: [{ ...card, card: '<script>' }] }],
    ['width', { cards: [{ ...card, width: 5 }] }],
    ['own', { cards: [{ ...card, own: ['everything'] }] }],
    ['asks', { cards: [{ ...card, asks: ['totals'] }] }],
    ['cards', { cards: Array.from({ length: 25 }, () => card) }],
    ['title', { title: ' ' }],
    ['version', { version: 0 }],
    ['additional', { answers: null }],
  ])('is refused where %s is wrong', async (named, more) => {
    const { status, body } = await board(1, more)
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid-body' })
    expect(body['message']).toContain(named)
  })
})

it('forgets what names an erased person', async () => {
  const view = (name: string, search: string) =>
    save({ kind: 'view', name, value: { path: '/app/', search } })
  const address = (change: Record<string, string>) => new URLSearchParams(change).toString()
  await service.ingest('/track?sync=true', [event('seen', { distinct_id: 'a+b@c.example' })])
  await view('filter', address({ range: '7d', filter: 'person_id|is|a+b@c.example' }))
  await view('of some', address({ filter: 'person_id|in|x|a+b@c.example|y' }))
  await view('page', address({ id: 'a+b@c.example', env: 'production' }))
  await view('another', address({ filter: 'person_id|is|aa+b@c.example', title: '100%' }))
  const segment = (name: string, filter: string) =>
    save({ kind: 'segment', name, value: { search: address({ filter }) } })
  await segment('of one', 'or|person_id|is|a+b@c.example')
  await segment('of one in capitals', 'trait.email|is|A+B@C.Example')
  await segment('of a word in capitals', 'prop.note|contains|from A+B@C.EXAMPLE!')
  await segment('of nobody', 'event|did:3:30|seen')
  await view('in Latin-1', 'title=%FC')
  await view('of one in Latin-1', 'title=%FC&filter=person_id%7Cis%7Ca%2Bb@c.example')
  await goal('it', { property: 'mail', value: 'a+b@c.example' })
  await goal('its capitals', { property: 'mail', value: 'A+B@c.example' })
  await goal('other', { event: 'seen' })
  await goal('seen by a+b@c.example', { event: 'seen' })
  await goal('one page', { event: '/people/a+b@c.example/*' })
  await view('of a word', address({ title: 'Why a+b@c.example left' }))
  const note = (name: string, text: string) =>
    save({ kind: 'annotation', name, value: { at: '2026-11-20T00:00:00.000Z', text } })
  await note('n-1', 'a+b@c.example called')
  await note('n-2', 'xa+b@c.example called, and a+b@c.examples')
  const link = (name: string, value: string) => {
    const where = [{ field: 'prop.mail', operator: 'in', values: ['x', value] }]
    const answers = [{ name: 'totals', where }]
    const shown = { path: '/app/', search: '', environment: 'production', answers }
    return save({ kind: 'link', name, value: { ...shown, ends_at: null, origins: [] } })
  }
  await link('shown', 'a+b@c.example')
  await link('shown in capitals', 'A+B@C.EXAMPLE')
  await link('shown to others', 'aa+b@c.examples')
  const erased = await service.ask('/persons/erase', { environment: 'production', id: 'a+b@c.example' })
  expect(erased.status).toBe(200)
  expect((await rows('SELECT name FROM analytics.saved ORDER BY 1')).flat()).toEqual([
    'another',
    'in Latin-1',
    'n-2',
    'of nobody',
    'other',
    'shown to others',
  ])
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

let service: Service
beforeAll(async () => {
  service = await createService()
  for (const name of ['Signed Up', 'Order Placed'])
    await service.ingest('/track?sync=true', event(name, { properties: { $url: 'https://a.example/x' } }))
})
afterAll(() => service.close())

const env = 'env=production'
const dayMs = 86_400_000
const at = (ms: number) => new Date(ms).toISOString()
const midnight = Math.floor(Date.now() / dayMs) * dayMs
// The day may end while the tests run.
const time = { from: at(midnight - 29 * dayMs), until: at(midnight + 2 * dayMs) }

/** Makes a link to a board, and gives its token. */
const share = async (board: string, value: object = {}) => {
  const usual = { path: '/app/boards', search: '', board, answers: [], environment: 'production' }
  const link = { ...usual, ends_at: null, origins: [], ...value }
  const body = JSON.stringify({ kind: 'link', name: board, value: link })
  const answer = await service.send('POST', '/saved', body, { authorization: basic })
  return { ...answer, token: String(answer.body['address']).split('#')[1] ?? '' }
}

const visit = async (token: string, body?: object) => {
  const response = await fetch(`${service.url}/guest`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-waymark-link': token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}
const isAda = (field: string) => ({ field, operator: 'is', values: ['ada'] })

describe('a link to a board', () => {
  const card = (id: string, asks: readonly object[], more: object = {}) => ({
    ...{ id, path: '/app/explore', search: 'show=events', card: 'answer', title: id, width: 3, own: [] },
    ...{ asks, ...more },
  })
  const events = card('events', [{ name: 'explore', environment: 'production' }])
  const saveBoard = (id: string, version: number, cards: readonly object[], more: object = {}) =>
    service.ask('/saved', {
      kind: 'board',
      name: id,
      value: { title: `Board ${id}`, search: `${env}&range=7d`, version, cards, ...more },
    })
  const shareBoard = async (id: string, cards: readonly object[], more: object = {}) => {
    expect((await saveBoard(id, 1, cards, more)).status).toBe(200)
    const { status, token } = await share(id)
    expect(status).toBe(200)
    return token
  }
  const statusOf = async (token: string, ask: object) => (await visit(token, { ...time, ...ask })).status
  const shownBy = async (token: string) =>
    JSON.parse((await visit(token)).text) as { cards: { id: string }[]; search: string }

  it('shows what its cards ask, and nothing that they do not', async () => {
    const where = [{ field: 'prop.plan', operator: 'is', values: ['pro'] }]
    const token = await shareBoard('b1', [events, card('totals', [{ name: 'totals', where }])])
    expect(await shownBy(token)).toEqual({
      ...{ name: 'Board b1', path: '/app/boards', goals: [], search: 'env=production&range=7d&id=b1' },
      cards: [
        expect.objectContaining({ id: 'events' }),
        {
          id: 'totals',
          path: '/app/explore',
          search: 'show=events',
          card: 'answer',
          title: 'totals',
          width: 3,
          own: [],
        },
      ],
    })
    const { status, text } = await visit(token, { name: 'explore', ...time })
    expect([status, text.trim().split('\n').at(-1)]).toEqual([200, '[2]'])
    expect(await statusOf(token, { name: 'totals', where })).toBe(200)
    for (const wrong of [
      { name: 'totals' },
      { name: 'totals', where: [...where, ...where] },
      { name: 'explore', where },
      { name: 'explore', by: 'browser' },
      { name: 'explore', environment: 'staging' },
      { name: 'explore', bots: true },
      { name: 'ranking' },
      { name: 'people' },
      { name: 'saved' },
      { name: 'explore', board: 'b2' },
      { name: 'explore', cards: [card('people', [{ name: 'people' }])] },
    ])
      expect([wrong, [400, 403].includes(await statusOf(token, wrong))]).toEqual([wrong, true])
  })

  it('shows a change at once, also what is not there any more', async () => {
    const token = await shareBoard('b2', [events])
    expect(await statusOf(token, { name: 'explore' })).toBe(200)
    expect((await saveBoard('b2', 2, [card('totals', [{ name: 'totals' }])])).status).toBe(200)
    expect((await shownBy(token)).cards.map(({ id }) => id)).toEqual(['totals'])
    expect(await statusOf(token, { name: 'explore' })).toBe(403)
    expect(await statusOf(token, { name: 'totals' })).toBe(200)
    await service.ask('/saved', { kind: 'board', name: 'b2', value: null })
    for (const body of [undefined, { name: 'totals', ...time }])
      expect((await visit(token, body)).status).toBe(404)
  })

  it('tells nothing of cards about people, of other environments or of nonsense', async () => {
    const hidden = [
      card('people', [{ name: 'people' }], { path: '/app/persons', search: 'q=ada@example.com' }),
      card('one', [{ name: 'totals', where: [isAda('person_id')] }]),
      card('trait', [{ name: 'totals', where: [isAda('trait.email')] }]),
      card('staging', [{ name: 'totals', environment: 'staging' }]),
      card('nonsense', [{ name: 'constructor' }, { name: 'totals', most: 'x' }]),
      card('nothing', []),
    ]
    const token = await shareBoard('b3', [...hidden, events])
    const shown = await visit(token)
    expect((await shownBy(token)).cards.map(({ id }) => id)).toEqual(['events'])
    for (const text of ['ada', 'staging', 'nonsense', 'nothing', 'asks'])
      expect(shown.text).not.toContain(text)
    for (const { asks } of hidden)
      for (const ask of asks)
        expect([ask, [400, 403].includes(await statusOf(token, ask))]).toEqual([ask, true])
  })

  it('keeps a segment to itself that names a person', async () => {
    const segment = `${env}&filter=trait.email%7Cis%7Cada%40example.com`
    const own = { ...events, own: ['segment'] }
    const refused = card('refused', [{ name: 'totals', where: [isAda('trait.email')] }])
    const token = await shareBoard('b4', [own, refused], { search: segment })
    expect((await visit(token)).text).not.toContain('example.com')
    expect(await statusOf(token, { name: 'explore' })).toBe(200)
  })

  it.each<[string, object]>([
    ['another path', { path: '/app/' }],
    ['all pages', { path: null, answers: null }],
    ['answers of its own', { answers: [{ name: 'totals' }] }],
  ])('is not made with %s', async (_, more) => {
    const { status, body } = await share('b5', more)
    expect([status, body['error']]).toEqual([400, 'invalid-body'])
  })
})

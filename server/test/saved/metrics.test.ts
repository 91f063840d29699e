import { type Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Body, createService, type Service } from '../fixtures/createService.js'
import { seedShop } from '../fixtures/seedShop.js'
import { call, connect } from '../mcp/agent.js'

let service: Service
let figures: Client
let all: Client

beforeAll(async () => {
  service = await createService({ mcpTokens: ['figures-only-token', 'all-of-it-and-persons:persons'] })
  await seedShop(service)
  figures = await connect(service, 'figures-only-token')
  all = await connect(service, 'all-of-it-and-persons')
})
afterAll(async () => {
  await Promise.all([figures.close(), all.close()])
  await service.close()
})

const save = (item: Body) => service.ask('/saved', item)
const metric = (name: string, ask: Body, more: Body = {}) =>
  save({
    kind: 'metric',
    name,
    value: { text: 'People with an order.', owner: 'Sales', since: '2026-10-01', answers: [ask], ...more },
  })
const list = async () =>
  (await service.query('SELECT name, definition, owner, since, answer FROM analytics.metrics ORDER BY name'))
    .rows

beforeEach(async () => {
  const { rows } = await service.query("SELECT kind, name FROM saved WHERE kind IN ('metric', 'goal')")
  for (const [kind, name] of rows) await save({ kind, name, value: null })
  await save({ kind: 'goal', name: 'Orders', value: { event: 'Order Placed' } })
})

const orders = { name: 'goal_totals', goal: 'Orders' }

describe('a metric', () => {
  it('is listed with its definition, its owner, since when, and what gives it', async () => {
    await metric('Sign-ups', orders)
    expect(await list()).toEqual([['Sign-ups', 'People with an order.', 'Sales', '2026-10-01', orders]])
  })

  it('goes with its goal when that is renamed, and is not listed without it', async () => {
    await metric('Sign-ups', orders)
    await save({ kind: 'goal', name: 'Sales', was: 'Orders', value: { event: 'Order Placed' } })
    expect((await list())[0]?.at(-1)).toEqual({ ...orders, goal: 'Sales' })
    await save({ kind: 'goal', name: 'Sales', value: null })
    expect(await list()).toEqual([])
  })

  it.each<[string, Body, Body?]>([
    ['since', orders, { since: '2026-13-01' }],
    ['text', orders, { text: ' ' }],
    ['owner', orders, { owner: '' }],
    ['there are', { name: 'nothing' }],
    ['measure', { name: 'explore', measure: 'guess' }],
    ['from', { ...orders, from: '2026-10-01' }],
    ['before', { ...orders, before: { from: '2026-10-01', until: '2026-10-02' } }],
    ['saved is not of a time', { name: 'saved' }],
  ])('that is wrong is refused, by the name of %s', async (named, ask, more) => {
    const refused = await service.send(
      'POST',
      '/saved',
      JSON.stringify({
        kind: 'metric',
        name: 'x',
        value: { text: 'x', owner: 'x', since: '2026-10-01', answers: [ask], ...more },
      }),
      { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` },
    )
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(named)])
    expect(await list()).toEqual([])
  })
})

describe('an agent', () => {
  it('has metrics before all else, and their names with their definitions', async () => {
    await metric('Sign-ups', orders)
    for (const client of [figures, all]) {
      const { tools } = await client.listTools()
      expect(tools.slice(0, 2).map(({ name }) => name)).toEqual(['list_metrics', 'metric'])
      expect(tools[1]?.description).toContain('Sign-ups: People with an order.')
    }
    expect((await call(figures, 'list_metrics', {})).table.rows).toEqual([
      ['Sign-ups', 'People with an order.', 'Sales', '2026-10-01'],
    ])
    expect(figures.getInstructions()).toContain('list_metrics')
  })

  it.each(['Sign-ups', 'sign ups', 'SIGNUPS'])(
    'that asks for %s gets that figure, and is told so',
    async (name) => {
      await metric('Sign-ups', orders)
      const { table } = await call(figures, 'metric', { name })
      const [[, people, sessions]] = (
        await service.query(
          "SELECT NULL, count(DISTINCT person_id), count(DISTINCT session_id) FROM goal_events('Orders')",
        )
      ).rows as [unknown[]]
      expect(table).toMatchObject({
        metric: {
          name: 'Sign-ups',
          definition: 'People with an order.',
          owner: 'Sales',
          since: '2026-10-01',
        },
        rows: [['now', people, sessions, expect.any(Number), expect.any(Number)]],
      })
      const none = await call(figures, 'metric', { name, from: '2100-01-01' })
      expect(none.table.rows[0]?.slice(0, 3)).toEqual(['now', 0, 0])
    },
  )

  it('is told which metrics there are, where there is none of the name', async () => {
    await metric('Sign-ups', orders)
    const { isError, text } = await call(figures, 'metric', { name: 'Revenue' })
    expect([isError, text]).toEqual([true, 'There is no certified metric "Revenue"; there are: Sign-ups.'])
  })

  it('learns values and people by a metric only with a token for persons', async () => {
    const byProduct = { name: 'explore', by: 'prop.sku' }
    await metric('By product', byProduct)
    await metric('By trait', {
      name: 'explore',
      where: [{ field: 'trait.plan', operator: 'is', values: ['pro'] }],
    })
    await metric('People', { name: 'people' })
    for (const name of ['By product', 'By trait', 'People']) {
      expect(await call(figures, 'metric', { name })).toMatchObject({ isError: true })
      expect((await call(all, 'metric', { name })).table.rows.length).toBeGreaterThan(0)
    }
  })
})

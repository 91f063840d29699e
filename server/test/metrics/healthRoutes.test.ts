import { afterAll, beforeAll, expect, it } from 'vitest'
import { healthRoutes } from '../../src/metrics/createRegistry.js'
import type { Failing } from '../../src/link/EngineView.js'
import type { Role } from '../../src/options/flags.js'
import { serveRoutes, type RoutesServer } from '../fixtures/serveRoutes.js'

const well = {
  accepting: true,
  up: true,
  rows: 0,
  lagSeconds: 0,
  problem: undefined,
  storing: undefined,
  role: 'both' as Role,
}
const state: Omit<typeof well, 'problem' | 'storing'> & {
  problem: string | undefined
  storing: Failing | undefined
} = { ...well }
const routes = healthRoutes({
  get role() {
    return state.role
  },
  problem: () => state.problem,
  isAccepting: () => state.accepting,
  storing: () => state.storing,
  isEngineUp: () => state.up,
  backlog: () => state,
})
let server: RoutesServer
beforeAll(async () => {
  server = await serveRoutes(routes)
})
afterAll(() => server.close())

const ask = async () => {
  const answer = await fetch(`http://127.0.0.1:${server.port}/healthz`)
  return [answer.status, await answer.json()]
}

it.each([
  ['all is well', {}, 200, 'ok'],
  ['the engine is away, and events are taken', { up: false, rows: 12, lagSeconds: 12.345 }, 200, 'degraded'],
  ['storing falls behind', { rows: 900_000, lagSeconds: 60 }, 200, 'degraded'],
  ['events are refused', { accepting: false }, 503, 'degraded'],
])('tells when %s', async (_, now, code, status) => {
  Object.assign(state, well, now)
  expect(await ask()).toEqual([
    code,
    {
      status,
      accepting: state.accepting,
      engine: state.up ? 'up' : 'starting',
      lag_seconds: Math.round(state.lagSeconds * 10) / 10,
      backlog_rows: state.rows,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    },
  ])
})

it.each([
  [
    'only answers queries, and does',
    { role: 'engine', accepting: false },
    200,
    { status: 'ok', engine: 'up' },
  ],
  [
    'only answers queries, and does not yet',
    { role: 'engine', accepting: false, up: false },
    503,
    { status: 'degraded', engine: 'starting' },
  ],
  [
    'only answers queries, and does not hear of new events',
    { role: 'engine', accepting: false, problem: 'Why.' },
    200,
    { status: 'degraded', reason: 'Why.' },
  ],
  ['only takes events', { role: 'ingest', up: false }, 200, { status: 'ok', engine: 'none' }],
  [
    'only takes events, and cannot',
    { role: 'ingest', up: false, accepting: false, problem: 'Why.' },
    503,
    { status: 'degraded', reason: 'Why.' },
  ],
])('tells of a process that %s', async (_, now, code, body) => {
  Object.assign(state, well, now)
  expect(await ask()).toEqual([code, expect.objectContaining(body)])
})

it('says at once that rows are not being stored, since when and why, and takes events all the same', async () => {
  Object.assign(state, well, { storing: { sinceMs: Date.UTC(2026, 0, 2), reason: 'The disk is full.' } })
  expect(await ask()).toEqual([
    200,
    expect.objectContaining({
      status: 'degraded',
      accepting: true,
      reason: 'The disk is full.',
      storing: { failing_since: '2026-01-02T00:00:00.000Z', reason: 'The disk is full.' },
    }),
  ])
  Object.assign(state, well)
  expect((await ask())[1]).not.toHaveProperty('storing')
})

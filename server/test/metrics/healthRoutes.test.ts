import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Listener } from '../../src/http/Listener.js'
import { Logger } from '../../src/Logger.js'
import { healthRoutes } from '../../src/metrics/healthRoutes.js'

const state = { accepting: true, up: true, rows: 0, lagSeconds: 0 }
const routes = healthRoutes({
  isAccepting: () => state.accepting,
  isEngineUp: () => state.up,
  backlog: () => state,
})
const listener = new Listener(routes, new Logger('silent'))
const server = createServer((request, response) => listener.listen(request, response))
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => server.close())

it.each([
  ['all is well', {}, 200, 'ok'],
  ['the engine is away, and events are taken', { up: false, rows: 12, lagSeconds: 12.345 }, 200, 'degraded'],
  ['storing falls behind', { rows: 900_000, lagSeconds: 60 }, 200, 'degraded'],
  ['events are refused', { accepting: false }, 503, 'degraded'],
])('tells when %s', async (_, now, code, status) => {
  Object.assign(state, { accepting: true, up: true, rows: 0, lagSeconds: 0 }, now)
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`)
  expect([answer.status, await answer.json()]).toEqual([
    code,
    {
      status,
      accepting: state.accepting,
      engine: state.up ? 'up' : 'starting',
      lag_seconds: Math.round(state.lagSeconds * 10) / 10,
      backlog_rows: state.rows,
    },
  ])
})

import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

const page = '<!doctype html><title>Shop</title>'

const start = async (answer: { status: number; body: string }, config: Partial<Config> = {}) => {
  const world = createWorld()
  world.service.become({ kind: 'answers', ...answer })
  const tab = world.openTab()
  const waymark = tab.init(config)
  const codes: string[] = []
  waymark.on('error', ({ code }) => codes.push(code))
  waymark.track('Kept')
  await world.advance(5000)
  return { world, tab, waymark, codes }
}

describe('an answer that is not the service’s', () => {
  it.each([
    ['a static host', 405, '<html>405 Not Allowed</html>'],
    ['the first page of an application, or of a login', 200, page],
    ['a proxy whose service is down', 502, ''],
    ['nothing but a status', 410, ''],
    ['a proxy', 415, 'Unsupported'],
    ['another service', 500, '{"detail":"Internal Server Error"}'],
    ['a limit of a proxy', 429, ''],
  ])('of %s (%i) is told to the console once, with status and body', async (_, status, body) => {
    const { world, tab, waymark, codes } = await start({ status, body })
    await world.advance(600_000)
    expect(codes).toEqual(['not-the-service'])
    expect(tab.warnings).toEqual([
      `[waymark] not-the-service: ${status} ${body} (see docs/errors.md#not-the-service)`,
    ])
    expect(waymark.stats()).toMatchObject({ queued: 1, state: 'waiting', dropped: {} })
  })

  it('is told again at the next outage, and on the next page', async () => {
    const { world, tab, waymark, codes } = await start({ status: 405, body: '' })
    world.service.become({ kind: 'well' })
    await world.advance(600_000)
    expect(world.service.names()).toEqual(['Kept'])
    world.service.become({ kind: 'answers', status: 200, body: page })
    waymark.track('Later')
    await world.advance(600_000)
    expect(codes).toEqual(['not-the-service', 'not-the-service'])
    tab.leave()
    const next = world.openTab()
    next.init()
    await world.advance(600_000)
    expect(next.warnings).toHaveLength(1)
  })
})

it('is told once for each cause, however often they take turns in one outage', async () => {
  const { world, codes, waymark } = await start({ status: 502, body: '' })
  for (let turn = 0; turn < 3; turn++) {
    world.service.become({ kind: 'down' })
    await world.advance(600_000)
    world.service.become({ kind: 'answers', status: 502, body: '' })
    await world.advance(600_000)
  }
  expect(codes).toEqual(['not-the-service', 'unreachable'])
  expect(waymark.stats().queued).toBe(1)
})

describe('a service that fails', () => {
  it.each([
    [429, '{"ok":false,"error":"slow-down"}', 'slow-down'],
    [500, '{"ok":false,"error_code":"internal"}', 'internal'],
    [503, '{"ok":false}', 'http-503'],
  ])('(%i %s) is told of at the third failure, once', async (status, body, says) => {
    const { world, tab, codes } = await start({ status, body }, { debug: true })
    const failures = () => world.service.arrivals.length
    while (failures() < 3) {
      expect(codes).toEqual([])
      await world.advance(1000)
    }
    await world.advance(600_000)
    expect(failures()).toBeGreaterThan(3)
    expect(tab.warnings).toEqual([`[waymark] service-fails: ${says} (see docs/errors.md#service-fails)`])
  })
})

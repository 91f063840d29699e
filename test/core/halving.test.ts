import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWorld } from '../world/createWorld'
import { names, openPage } from '../world/openPage'

describe('halving', () => {
  it('delivers every good payload once and quarantines every bad one, wherever they stand', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), async (good) => {
        const world = createWorld()
        const waymark = world.openTab().init()
        const quarantined: string[] = []
        waymark.on('drop', ({ payload }) => quarantined.push(JSON.parse(payload!).event as string))
        await waymark.ready()
        world.service.become({ kind: 'refuses', text: '"bad":true', errorCode: 'http-400' })
        const all = good.map((isGood, n) => (isGood ? `good ${n}` : `bad ${n}`))
        all.forEach((name, n) => waymark.track(name, { bad: !good[n] }))
        await world.advance(5000)
        expect(world.service.names()).toEqual(all.filter((name) => name.startsWith('good')))
        expect(quarantined).toEqual(all.filter((name) => name.startsWith('bad')))
        expect(waymark.stats().queued).toBe(0)
      }),
      { numRuns: 25 },
    )
  })

  it('of a hundred payloads around one needs few requests', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    await waymark.ready()
    world.service.become({ kind: 'refuses', text: '"E61"', errorCode: 'http-400' })
    for (let n = 0; n < 100; n++) waymark.track(`E${n}`)
    await world.advance(5000)
    expect(world.service.arrivals.length).toBeLessThanOrEqual(15)
  })

  it.each([0, 21, 42, 61, 63])('around the payload %i of 64 needs two requests a level', async (bad) => {
    const world = createWorld()
    const waymark = world.openTab().init()
    await waymark.ready()
    world.service.become({ kind: 'refuses', text: `"E${bad}"`, errorCode: 'http-400' })
    for (let n = 0; n < 64; n++) waymark.track(`E${n}`)
    await world.advance(5000)
    expect(waymark.stats()).toMatchObject({ sent: 63, queued: 0 })
    expect(world.service.arrivals).toHaveLength(1 + 2 * Math.log2(64))
  })

  it('takes no batch that has gone meanwhile for an outage', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    await waymark.ready()
    world.service.become({ kind: 'refuses', text: '"Gone"', errorCode: 'http-400' })
    world.service.hold()
    waymark.track('Gone')
    waymark.track('Gone')
    void waymark.flush()
    await world.settle()
    waymark.optOut()
    world.service.answerNow()
    await world.settle()
    waymark.optIn()
    await world.settle()
    expect(waymark.stats()).toMatchObject({ queued: 0, state: 'idle' })
    expect(world.service.arrivals).toHaveLength(1)
  })
})

it('a service that fails while a batch is halved is not asked for the other half', async () => {
  const world = createWorld()
  const waymark = world.openTab().init()
  await waymark.ready()
  world.service.become({ kind: 'answers', status: 400, body: '' })
  world.service.hold()
  for (let n = 0; n < 20; n++) waymark.track(`E${n}`)
  await world.advance(0)
  world.service.become({ kind: 'answers', status: 503, body: '' })
  world.service.answerNow()
  await world.advance(100)
  expect(world.service.arrivals.map(({ payloads }) => payloads.length)).toEqual([20, 10])
})

it('a page that leaves while a batch is halved hands off the other half', async () => {
  const { world, tab, service, track } = await openPage({ persistence: 'memory' })
  service.become({ kind: 'refuses', text: '"E3"', errorCode: 'http-400' })
  track(...names(4))
  await world.advance(1000)
  service.hold()
  await world.advance(1000)
  service.become({ kind: 'well' })
  service.answerNow()
  service.hold()
  await world.settle()
  expect(service.arrivals.map(({ payloads }) => payloads.length)).toEqual([4, 2])
  tab.leave()
  await world.settle()
  expect(service.names()).toEqual(names(4))
})

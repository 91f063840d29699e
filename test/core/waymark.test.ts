import { describe, expect, it } from 'vitest'
import { createWorld } from '../world/createWorld'

describe('waymark', () => {
  it('delivers an event once, and keeps nothing after', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    const { id, outcome } = waymark.track('Signed Up', { plan: 'pro' })
    await world.advance(3000)

    expect(world.service.names()).toEqual(['Signed Up'])
    expect(world.service.events()[0]!.properties).toMatchObject({ plan: 'pro', insert_id: id })
    expect(await outcome).toEqual({ status: 'accepted', taskId: 'task-1' })
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', queued: 0, bytes: 0, sent: 1, state: 'idle' })
    expect(world.timers()).toBe(0)
  })

  it('keeps the queue over a crash while the service is down, and delivers it once', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const first = world.openTab()
    const waymark = first.init()
    for (let n = 0; n < 50; n++) waymark.track(`Event ${n}`)
    await world.advance(3000)
    expect(waymark.stats()).toMatchObject({ queued: 50, state: 'waiting' })
    first.crash()

    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(Array.from({ length: 50 }, (_, n) => `Event ${n}`))
  })

  it('hands over what waits when the page goes', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    waymark.track('First')
    await world.advance(3000)
    const { outcome } = waymark.track('Second')
    await world.settle()
    tab.leave()
    await world.settle()
    tab.crash()
    expect(await outcome).toEqual({ status: 'handed-off' })
    expect(world.service.taken.map(({ by }) => by)).toEqual(['fetch', 'fetch'])

    world.openTab().init()
    await world.advance(20_000)
    expect(world.service.names()).toEqual(['First', 'Second'])
  })
})

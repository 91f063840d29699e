import { describe, expect, it } from 'vitest'
import { createWorld } from '../world/createWorld'

const names = (count: number, prefix = 'E') => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

async function open(config = {}) {
  const world = createWorld()
  const tab = world.openTab()
  const waymark = tab.init(config)
  await waymark.ready()
  const track = (...events: string[]) => events.map((event) => waymark.track(event))
  return { world, tab, waymark, track, service: world.service }
}

describe('leaving while a request is under way', () => {
  it('takes a request that ends with the page for no outage: the next page hands off as ever', async () => {
    const { world, service } = await open()
    let reject: (error: Error) => void = () => {}
    const tab = world.openTab('https://shop.test/', {
      fetch: () => new Promise((_, no) => (reject = no)),
    })
    const waymark = tab.init()
    await waymark.ready()
    waymark.track('Big', { text: 'x'.repeat(70_000) })
    void waymark.flush()
    await world.settle()
    tab.leave()
    reject(new TypeError('Failed to fetch'))
    await world.settle()
    tab.crash()
    const next = world.openTab()
    const after = next.init()
    await after.ready()
    after.track('Next')
    next.leave()
    expect(service.names()).toEqual(['Next'])
  })

  it('while the browser is offline and coming back is not sending any more, though no answer comes', async () => {
    const { world, tab, service, waymark, track } = await open()
    service.become({ kind: 'hangs' })
    track(...names(20))
    await world.advance(0)
    expect(waymark.stats().state).toBe('sending')
    tab.isOnline = false
    tab.leave()
    tab.isOnline = true
    tab.fire('pageshow', 'visible')
    expect(waymark.stats().state).toBe('idle')
  })
})

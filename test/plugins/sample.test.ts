import { describe, expect, it } from 'vitest'
import { sample } from '../../src/plugins/sample'
import { createWorld } from '../world/createWorld'

/** What a device sends of two events and a sign-in. */
async function visit(deviceId: string, rate: number) {
  const world = createWorld()
  const waymark = world.openTab().init({ plugins: [sample(rate)], bootstrap: { deviceId } })
  const { outcome } = waymark.track('A')
  waymark.track('B')
  waymark.identify('ann')
  await world.advance(5000)
  return { names: world.service.names(), outcome: await outcome, dropped: waymark.stats().dropped }
}

describe('sample', () => {
  it('sends all events of its share of devices, none of the others, and every identify', async () => {
    let sampled = 0
    for (let n = 0; n < 60; n++) {
      const { names } = await visit(`device-${n}`, 0.5)
      expect([['A', 'B', 'identify'], ['identify']]).toContainEqual(names)
      if (names.length === 3) sampled++
    }
    expect(sampled).toBeGreaterThan(15)
    expect(sampled).toBeLessThan(45)
  })

  it('keeps the devices of a smaller share in a larger one', async () => {
    for (let n = 0; n < 20; n++) {
      const [small, large] = [await visit(`device-${n}`, 0.3), await visit(`device-${n}`, 0.6)]
      if (small.names.length === 3) expect(large.names).toHaveLength(3)
    }
  })

  it('says why an event was left out', async () => {
    expect(await visit('device-1', 0)).toEqual({
      names: ['identify'],
      outcome: { status: 'dropped', reason: 'sampled-out' },
      dropped: { 'sampled-out': 2 },
    })
    expect((await visit('device-1', 1)).names).toEqual(['A', 'B', 'identify'])
  })
})

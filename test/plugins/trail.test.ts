import { beforeEach, describe, expect, it, vi } from 'vitest'
import { checks, withChecks } from '../../src/plugins/checks'
import { createWorld } from '../world/createWorld'

const debug = vi.spyOn(console, 'debug')
beforeEach(() => void debug.mockReset().mockReturnValue())
const printed = () => debug.mock.calls.map(([text]) => text as string)
const endpoint = 'https://api.test'

describe('in debug mode the way of a call is printed', () => {
  it('from the queue to the answer', async () => {
    const world = createWorld()
    const waymark = withChecks(world.openTab().create()).init('pk_test', { endpoint, debug: true })
    waymark.track('Signed Up', { plan: 'pro' })
    waymark.identify('ann')
    await world.advance(5000)
    expect(printed()).toEqual([
      '[waymark] track "Signed Up": on its way to the queue',
      '[waymark] identify "ann": on its way to the queue',
      '[waymark] track, 1 of them: accepted',
      '[waymark] identify, 1 of them: accepted',
    ])
  })

  it('also of one that Global Privacy Control drops, once', async () => {
    const world = createWorld()
    const tab = world.openTab()
    tab.refuses = true
    tab.init({ plugins: [checks()] }).track('A')
    await world.advance(5000)
    expect(printed()).toEqual([
      '[waymark] track: dropped, because the visitor has refused, or Global Privacy Control has (no-consent)',
    ])
  })

  it('and without it nothing is', async () => {
    const world = createWorld()
    withChecks(world.openTab().create()).init('pk_test', { endpoint }).track('A')
    await world.advance(5000)
    expect(printed()).toEqual([])
  })
})

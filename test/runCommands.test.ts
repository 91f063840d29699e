import { describe, expect, it } from 'vitest'
import { runCommands } from '../src/runCommands'
import { createWorld } from './world/createWorld'

describe('runCommands', () => {
  it('runs what a page collected, keeps its push, and ignores what is no command', async () => {
    const world = createWorld()
    const waymark = runCommands(world.openTab().init(), [
      ['track', 'Early', { n: 1 }],
      ['nonsense'],
      'text' as never,
      ['identify', 'ann'],
    ])
    waymark.push(['track', 'Late'])
    await world.advance(5000)
    expect(world.service.names()).toEqual(['Early', 'identify', 'Late'])
  })
})

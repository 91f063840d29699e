import { describe, expect, it } from 'vitest'
import type { Command } from '../../src/core/types'
import { runCommands } from '../../src/entries/commands'
import { createWorld } from '../world/createWorld'

const called = (command: [string, ...unknown[]], when: object): Command => Object.assign(command, when)

describe('commands', () => {
  it('runs what a page collected, keeps its push, and ignores what is no command', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = runCommands(
      tab.init(),
      [['track', 'Early', { n: 1 }], ['nonsense'], 'text' as never, ['identify', 'ann']],
      tab.browser,
    )
    waymark.push(['track', 'Late'])
    await world.advance(5000)
    expect(world.service.names()).toEqual(['Early', 'identify', 'Late'])
  })

  it('gives each call the time and the page that it was made at, and none of them to the next', async () => {
    const world = createWorld()
    const tab = world.openTab('https://shop.test/now')
    const calledAt = world.now() - 5000
    const waymark = runCommands(
      tab.create(),
      [
        called(['track', 'Early'], {
          calledAt,
          url: 'https://shop.test/before?token=1',
          referrer: 'https://a.test/',
        }),
        ['track', 'Without'],
      ],
      tab.browser,
    )
    waymark.init('pk_test', { endpoint: 'https://api.test' })
    await world.advance(5000)
    const events = world.service.events().map(({ event, timestamp, properties }) => ({
      event,
      agoMs: world.now() - 5000 - Date.parse(timestamp),
      url: properties['$url'],
      referrer: properties['$referer'],
    }))
    expect(events).toEqual([
      { event: 'Early', agoMs: 5000, url: 'https://shop.test/before', referrer: 'https://a.test/' },
      { event: 'Without', agoMs: 0, url: 'https://shop.test/now', referrer: 'https://search.test/' },
    ])
  })

  it('goes on after what is no command, or throws, with the time of the page', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.create()
    const fail = () => {
      throw new Error('no')
    }
    Object.assign(waymark, { fail })
    const withPush = runCommands(
      waymark,
      [
        { event: 'text' } as never,
        undefined as never,
        called(['fail'], { calledAt: 1, url: 'https://shop.test/before' }),
        ['track', 'A'],
      ],
      tab.browser,
    )
    withPush.push({ event: 'text' } as never, ['track', 'B'])
    waymark.init('pk_test', { endpoint: 'https://api.test' })
    await world.advance(5000)
    expect(world.service.names()).toEqual(['A', 'B'])
    expect(world.service.events()[0]).toMatchObject({
      timestamp: '2026-01-01T12:00:00.000Z',
      properties: { $url: 'https://shop.test/' },
    })
  })
})

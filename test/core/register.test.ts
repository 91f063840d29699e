import { describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

/** What an event carries after `act`, which runs before the ids are known or after; and what was said. */
async function carried(isReady: boolean, act: (waymark: Waymark) => void) {
  const world = createWorld()
  const waymark = world.openTab().init()
  const codes: string[] = []
  waymark.on('error', ({ code }) => codes.push(code))
  if (isReady) await waymark.ready()
  waymark.register({ plan: 'pro' })
  act(waymark)
  waymark.track('E')
  await world.advance(5000)
  const own = Object.fromEntries(
    Object.entries(world.service.events()[0]!.properties).filter(
      ([name]) => !/^(\$|insert_id$|browser_time_zone$)/.test(name),
    ),
  )
  return { own, codes, sent: world.service.names() }
}

describe.each([
  ['before the ids are known', false],
  ['after', true],
])('register, %s', (_, isReady) => {
  it('names a value that throws when it is read, and keeps the others', async () => {
    const { own } = await carried(isReady, (waymark) =>
      waymark.register({
        theme: 'dark',
        get bad(): never {
          throw new Error('no')
        },
      }),
    )
    expect(own).toEqual({ plan: 'pro', theme: 'dark', bad: '[unreadable]' })
  })

  it('is refused with what throws at every touch, and stops nothing', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const { own, codes } = await carried(isReady, (waymark) => {
      waymark.register(proxy)
      waymark.registerOnce({ draft: proxy })
      waymark.register({ theme: 'dark' })
    })
    expect(own).toEqual({ plan: 'pro', draft: '[unreadable]', theme: 'dark' })
    expect(codes).toEqual(['unreadable'])
  })

  it('is followed by a reset all the same, whose option throws', async () => {
    const throwing = {
      get deviceId(): never {
        throw new Error('no')
      },
    }
    const { own, sent } = await carried(isReady, (waymark) => waymark.reset(throwing))
    expect(sent).toEqual(['E'])
    expect([{}, { plan: 'pro' }]).toContainEqual(own)
  })

  it('leaves out what has too long a name, so that the service refuses no event for it', async () => {
    const { own, codes } = await carried(isReady, (waymark) =>
      waymark.register({ ['p'.repeat(401)]: 1, theme: 'dark' }),
    )
    expect(own).toEqual({ plan: 'pro', theme: 'dark' })
    expect(codes).toEqual(['property-name-too-long'])
  })

  it('takes the values of the call', async () => {
    const { own } = await carried(isReady, (waymark) => {
      const given = { theme: 'dark', tags: ['a'] }
      waymark.register(given)
      given.theme = 'light'
      given.tags.push('b')
    })
    expect(own).toEqual({ plan: 'pro', theme: 'dark', tags: ['a'] })
  })

  it('is refused with what holds no properties', async () => {
    const { own, codes } = await carried(isReady, (waymark) => waymark.register('text' as never))
    expect(own).toEqual({ plan: 'pro' })
    expect(codes).toEqual(['invalid-properties'])
  })
})

// @vitest-environment happy-dom
import { mount, unmount, type Component } from 'svelte'
import { describe, expect, it } from 'vitest'
import { waymark as usual } from '../../src/entries/index'
import { createTrackAction, getWaymark, setWaymark } from '../../src/adapters/svelte'
import type { Waymark } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

// A compiled component is a function that runs its script when it is mounted.
const withScript = (script: () => void) => script as unknown as Component
const run = async (script: () => void) => {
  const component = mount(withScript(script), { target: document.createElement('div') })
  await unmount(component)
}

describe('setWaymark', () => {
  it('starts the instance, and hands it on', async () => {
    const world = createWorld()
    const waymark = world.openTab().create()
    const seen: Waymark[] = []
    await run(() => {
      seen.push(setWaymark({ waymark, apiKey: 'pk_test', config: { endpoint: 'https://api.test' } }))
      seen.push(getWaymark())
    })
    expect(seen).toEqual([waymark, waymark])
    waymark.track('A')
    await world.advance(3000)
    expect(world.service.names()).toEqual(['A'])
  })
})

describe('getWaymark', () => {
  it('gives the usual instance where nobody has set one', async () => {
    let seen
    await run(() => {
      seen = getWaymark()
    })
    expect(seen).toBe(usual)
  })
})

describe('createTrackAction', () => {
  it('records what it says now, until the element goes', async () => {
    const world = createWorld()
    const button = document.createElement('button')
    const action = createTrackAction(world.openTab().init())(button, {
      event: 'Chosen',
      properties: { plan: 'free' },
    })
    button.click()
    action.update({ event: 'Chosen', properties: { plan: 'pro' } })
    button.click()
    action.destroy()
    button.click()
    await world.advance(3000)
    expect(world.service.events().map(({ properties }) => properties['plan'])).toEqual(['free', 'pro'])
  })
})

// @vitest-environment happy-dom
import { act, createElement as h, StrictMode, useEffect, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it } from 'vitest'
import { waymark as usual } from '../../src/entries/index'
import { pageviews } from '../../src/plugins/pageviews'
import { useTrack, useWaymark, WaymarkProvider } from '../../src/adapters/react'
import type { Waymark } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

let unmount = () => {}
afterEach(() => act(() => unmount()))

const render = async (node: ReactNode) => {
  const root = createRoot(document.createElement('div'))
  unmount = () => root.unmount()
  await act(async () => root.render(node))
  return root
}

const open = () => {
  const world = createWorld()
  const waymark = world.openTab().create()
  const config = { endpoint: 'https://api.test', plugins: [pageviews()] }
  const wrap = (...children: ReactNode[]) =>
    h(StrictMode, null, h(WaymarkProvider, { waymark, apiKey: 'pk_test', config }, ...children))
  return { world, waymark, wrap }
}

describe('WaymarkProvider', () => {
  it('starts the instance, once in Strict Mode, and keeps what its children tracked before', async () => {
    const { world, wrap } = open()
    function Child() {
      const track = useTrack()
      useEffect(() => void track('Mounted'), [track])
      return null
    }
    await render(wrap(h(Child)))
    await world.advance(3000)
    // Strict Mode runs every effect twice: what an application tracks in one is its own affair.
    expect(world.service.names()).toEqual(['Mounted', '$pageview', 'Mounted'])
  })

  it('goes on when it is mounted anew, and counts no page twice', async () => {
    const { world, wrap, waymark } = open()
    await render(wrap())
    act(() => unmount())
    await render(wrap())
    waymark.track('Later')
    await world.advance(3000)
    expect(world.service.names()).toEqual(['$pageview', 'Later'])
  })

  it('hands out the same instance and the same track at every render', async () => {
    const { waymark, wrap } = open()
    const seen: unknown[] = []
    function Child() {
      seen.push(useWaymark(), useTrack())
      return null
    }
    const root = await render(wrap(h(Child)))
    await act(async () => root.render(wrap(h(Child))))
    expect(new Set(seen)).toEqual(new Set([waymark, waymark.track]))
  })
})

describe('useWaymark', () => {
  it('gives the usual instance where there is no provider', async () => {
    let seen: Waymark | undefined
    function Child() {
      seen = useWaymark()
      return null
    }
    await render(h(Child))
    expect(seen).toBe(usual)
  })
})

describe('on a server', () => {
  it('renders, and starts nothing', () => {
    const { world, wrap, waymark } = open()
    expect(renderToString(wrap('text'))).toBe('text')
    expect(waymark.ids.deviceId).toBe('')
    expect(world.timers()).toBe(0)
  })
})

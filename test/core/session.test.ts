import { describe, expect, it } from 'vitest'
import { createWorld, withTransact } from '../world/createWorld'

const minute = 60_000

async function open() {
  const world = createWorld()
  const waymark = world.openTab().init()
  await waymark.ready()
  const sessionOf = async (name: string) => {
    waymark.track(name)
    await world.advance(3000)
    return world.service.events().find(({ event }) => event === name)!.session_id
  }
  return { world, waymark, sessionOf }
}

describe('a session', () => {
  it('goes on while there is an event every 30 minutes, and ends after', async () => {
    const { world, waymark, sessionOf } = await open()
    const first = await sessionOf('A')
    expect(first).toMatch(/^session-[\w-]{21}$/)
    await world.advance(29 * minute)
    expect(await sessionOf('B')).toBe(first)
    await world.advance(31 * minute)
    const second = await sessionOf('C')
    expect(second).not.toBe(first)
    expect(waymark.ids.sessionId).toBe(second)
  })

  it('ends after 24 hours in any case', async () => {
    const { world, sessionOf } = await open()
    const first = await sessionOf('0')
    for (let n = 1; n <= 71; n++) {
      await world.advance(20 * minute)
      if (n < 71) expect(await sessionOf(`${n}`)).toBe(first)
    }
    await world.advance(20 * minute)
    expect(await sessionOf('after')).not.toBe(first)
  })

  it('ends when the clock is set back or far forward, and not when it is corrected by seconds', async () => {
    const { world, sessionOf } = await open()
    const first = await sessionOf('A')
    world.setClock(world.now() - 20_000)
    expect(await sessionOf('B')).toBe(first)
    world.setClock(world.now() - 60 * minute)
    const second = await sessionOf('C')
    expect(second).not.toBe(first)
    world.setClock(world.now() + 40 * minute)
    expect(await sessionOf('D')).not.toBe(second)
  })

  it('is the same in all tabs, and kept alive by each', async () => {
    const { world, waymark, sessionOf } = await open()
    const first = await sessionOf('A')
    const other = world.openTab().init()
    for (let n = 0; n < 4; n++) {
      await world.advance(20 * minute)
      other.track(`Other ${n}`)
      await world.settle()
      expect(other.ids.sessionId).toBe(first)
    }
    expect(await sessionOf('B')).toBe(first)
    expect(waymark.ids.sessionId).toBe(first)
  })

  it('is stored once for the events of a second, though each is in a task of its own', async () => {
    const world = createWorld()
    let puts = 0
    const counted = withTransact((database, mode, work) =>
      database.transact(mode, (store, commit) => {
        const put = store.put.bind(store)
        store.put = (value, key) => {
          if (key === 'session') puts++
          return put(value, key)
        }
        return work(store, commit)
      }),
    )
    const waymark = world.openTab('https://shop.test/', counted).init()
    await waymark.ready()
    await world.advance(5000)
    puts = 0
    for (let n = 0; n < 9; n++) {
      waymark.track('A')
      await world.advance(100)
    }
    expect(puts).toBe(1)
  })

  it('outlives the page', async () => {
    const { world, sessionOf } = await open()
    const first = await sessionOf('A')
    const next = world.openTab().init()
    next.track('B')
    await next.ready()
    expect(next.ids.sessionId).toBe(first)
  })

  it('is told when it begins, and not again', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    const begun: string[] = []
    waymark.on('session', ({ id }) => begun.push(id))
    for (let n = 0; n < 6; n++) {
      waymark.track('A')
      await world.advance(11_000)
    }
    expect(begun).toEqual([waymark.ids.sessionId])
    const next = world.openTab().init()
    next.on('session', ({ id }) => begun.push(id))
    next.track('B')
    await world.advance(3000)
    expect(begun).toHaveLength(1)
  })
})

it('tells other tabs of the last event once a second, not of each', async () => {
  const world = createWorld()
  const told: object[] = []
  const tab = world.openTab()
  const { channel } = tab.browser
  tab.browser.channel = (name, hear) => {
    const opened = channel(name, hear)!
    return {
      ...opened,
      postMessage: (message) => (told.push(message as object), opened.postMessage(message)),
    }
  }
  const waymark = tab.init()
  await world.advance(3000)
  told.length = 0
  for (let n = 0; n < 100; n++) {
    waymark.track('A')
    await world.advance(10)
  }
  const sessions = told.filter((message) => 'session' in ((message as { change?: object }).change ?? {}))
  expect(sessions).toHaveLength(1)
})

import { describe, expect, it } from 'vitest'
import type { Database } from '../../src/core/database'
import { createWorld, openDatabase } from '../world/createWorld'
import { names } from '../world/openPage'
import { readRecords } from '../world/readStore'

/** A disk that a test can break: each write asks `fail` first. */
function breakable(fail: () => Error | undefined) {
  return (name: string): Database => {
    const database = openDatabase(name)
    return {
      ...database,
      transact: (mode, work) => {
        const error = mode === 'readonly' ? undefined : fail()
        return error ? Promise.reject(error) : database.transact(mode, work)
      },
    }
  }
}

/** A page with one event, whose disk has broken and whose service is down. */
async function breakDown() {
  const world = createWorld()
  let broken = false
  const tab = world.openTab('https://shop.test/', {
    openDatabase: breakable(() => (broken ? new DOMException('gone', 'UnknownError') : undefined)),
  })
  const waymark = tab.init()
  await waymark.ready()
  world.service.become({ kind: 'down' })
  broken = true
  waymark.track('A')
  await world.advance(3000)
  return { world, tab, waymark, mend: () => void (broken = false) }
}

describe('the disk', () => {
  it('that is refused leaves the queue in memory, says so once, and delivers all the same', async () => {
    const world = createWorld()
    const refused = () => Promise.reject(new DOMException('denied', 'SecurityError'))
    const tab = world.openTab('https://shop.test/', {
      openDatabase: () => ({ transact: refused, abortReads() {}, close() {} }),
    })
    const waymark = tab.create()
    const stores: string[] = []
    waymark.on('storage', ({ store }) => stores.push(store))
    waymark.init('pk', { endpoint: 'https://api.test' })
    waymark.track('A')
    await world.advance(5000)
    expect(stores).toEqual(['memory'])
    expect(waymark.stats()).toMatchObject({ store: 'memory', queued: 0, sent: 1 })
    expect(waymark.ids.distinctId).toMatch(/^anonymous-/)
    expect(world.service.names()).toEqual(['A'])
  })

  it('that answers nothing for half a minute lets the page go on in memory', async () => {
    const world = createWorld()
    const never = () => new Promise<never>(() => {})
    const tab = world.openTab('https://shop.test/', {
      openDatabase: () => ({ transact: never, abortReads() {}, close() {} }),
    })
    const waymark = tab.init()
    waymark.track('A')
    await world.advance(30_000)
    expect(waymark.ids.distinctId).toBe('')
    expect(waymark.stats()).toMatchObject({ store: 'memory', queued: 1, sent: 0 })
    await world.advance(5000)
    expect(waymark.stats()).toMatchObject({ store: 'memory', sent: 1 })
    waymark.track('B')
    tab.fire('hidden')
    await world.settle()
    expect(waymark.stats()).toMatchObject({ sent: 2 })
    waymark.track('C')
    void waymark.flush()
    await world.settle()
    expect(waymark.stats()).toMatchObject({ sent: 3 })
  })

  it('that opens late gets what memory kept until then, under the ids it knows', async () => {
    const world = createWorld()
    const first = world.openTab().init()
    await first.ready()
    const { deviceId } = first.ids
    await first.shutdown()

    const tab = world.openSlowTab()
    world.service.become({ kind: 'down' })
    const waymark = tab.init()
    waymark.track('A')
    await world.advance(33_000)
    expect(waymark.stats()).toMatchObject({ store: 'memory', queued: 1 })
    tab.open()
    await world.settle()
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', queued: 1 })
    expect(waymark.ids.deviceId).toBe(deviceId)
    tab.crash()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['A'])
  })

  it('that fails for a while gets what memory kept when it works again, and says so', async () => {
    const { world, tab, waymark, mend } = await breakDown()
    const stores: string[] = []
    waymark.on('storage', ({ store }) => stores.push(store))
    expect(waymark.stats()).toMatchObject({ store: 'memory', queued: 1 })
    mend()
    await world.advance(60_000)
    waymark.track('B')
    await world.advance(1000)
    expect(stores).toEqual(['indexeddb'])
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', queued: 2 })
    tab.crash()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['A', 'B'])
  })

  it('that fails while a page comes back loses nothing of other tabs when it works again', async () => {
    const world = createWorld()
    let isBroken = false
    const failures: (() => void)[] = []
    const tab = world.openTab('https://shop.test/', {
      openDatabase(name) {
        const database = openDatabase(name)
        return {
          ...database,
          // Nothing reaches the disk, which says so late: what it was to store may be delivered by then.
          transact(mode, work) {
            if (!isBroken || mode !== 'put') return database.transact(mode, work)
            work({ put() {}, delete() {} } as unknown as IDBObjectStore, () => {})
            return new Promise((_, reject) =>
              failures.push(() => reject(new DOMException('gone', 'UnknownError'))),
            )
          },
        }
      },
    })
    const waymark = tab.init()
    await waymark.ready()
    const fetch = () => Promise.reject(new TypeError('offline'))
    const others = names(20, 'Other ').map(() => world.openTab('https://shop.test/', { fetch }).init())
    await world.settle()
    world.service.become({ kind: 'down' })
    for (const [n, other] of others.entries()) other.track(`Other ${n}`)
    waymark.track('A')
    await world.advance(100)

    isBroken = true
    world.service.become({ kind: 'well' })
    await waymark.flush()
    tab.fire('pagehide', 'pageshow')
    await world.advance(1000)
    waymark.track('B')
    await waymark.flush()
    expect(world.service.names()).toEqual(['A', 'B'])
    isBroken = false
    for (const fail of failures) fail()
    await world.advance(60_000)
    waymark.track('C')
    await waymark.flush()
    await world.settle()
    expect(await readRecords()).toHaveLength(20)
  })

  it('that is full drops the older half, counts it, and keeps what is new', async () => {
    const world = createWorld()
    let full = false
    const tab = world.openTab('https://shop.test/', {
      openDatabase: breakable(() => {
        const wasFull = full
        full = false
        return wasFull ? new DOMException('full', 'QuotaExceededError') : undefined
      }),
    })
    const waymark = tab.init()
    await waymark.ready()
    world.service.become({ kind: 'down' })
    for (let n = 0; n < 10; n++) {
      waymark.track(`E${n}`)
      await world.settle()
    }
    full = true
    waymark.track('New')
    await world.advance(1000)
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', queued: 6, dropped: { 'no-space': 5 } })
    tab.crash()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['E5', 'E6', 'E7', 'E8', 'E9', 'New'])
  })

  it('that is full once more, after it was not, makes room once more', async () => {
    const world = createWorld()
    let full = false
    const tab = world.openTab('https://shop.test/', {
      openDatabase: breakable(() => {
        const wasFull = full
        full = false
        return wasFull ? new DOMException('full', 'QuotaExceededError') : undefined
      }),
    })
    const waymark = tab.init()
    await waymark.ready()
    world.service.become({ kind: 'down' })
    for (let n = 0; n < 6; n++) {
      waymark.track(`E${n}`)
      await world.settle()
      full = n === 2 || n === 4
    }
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', dropped: { 'no-space': 4 } })
  })

  it.each(['freeze', 'pagehide'] as const)(
    'that is not wanted leaves to the page that is back from %s what it could not send',
    async (event) => {
      const world = createWorld()
      world.service.become({ kind: 'down' })
      const tab = world.openTab()
      const waymark = tab.init({ persistence: 'memory' })
      const { outcome } = waymark.track('A')
      await world.advance(3000)
      tab.fire(event, 'hidden')
      await world.advance(60_000)
      tab.fire(event === 'freeze' ? 'resume' : 'pageshow', 'visible')
      expect(waymark.stats()).toMatchObject({ queued: 1 })
      world.service.become({ kind: 'well' })
      await world.advance(3000)
      expect(await outcome).toMatchObject({ status: 'accepted' })
      expect(world.service.names()).toEqual(['A'])
      expect(world.timers()).toBe(0)
    },
  )

  it('that works keeps for another page what this one, in the page cache, could not send', async () => {
    const world = createWorld()
    world.service.become({ kind: 'down' })
    const tab = world.openTab()
    const waymark = tab.init()
    const { outcome } = waymark.track('A')
    await world.advance(3000)
    tab.leave()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    tab.fire('pageshow', 'visible')
    await world.advance(10_000)
    expect(await outcome).toEqual({ status: 'queued' })
    expect(waymark.stats()).toMatchObject({ queued: 0, sent: 0 })
    expect(world.service.names()).toEqual(['A'])
  })

  it('that failed gets, from the page that is back, what memory kept, in its new queue', async () => {
    const { world, tab, waymark, mend } = await breakDown()
    tab.leave()
    mend()
    await world.advance(60_000)
    tab.fire('pageshow', 'visible')
    waymark.track('B')
    await world.advance(10_000)
    expect(waymark.stats()).toMatchObject({ store: 'indexeddb', queued: 2 })
    tab.crash()
    await world.advance(10_000)
    world.service.become({ kind: 'well' })
    world.openTab().init()
    await world.advance(10_000)
    expect(world.service.names()).toEqual(['A', 'B'])
  })

  it('that is not wanted is not touched', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ persistence: 'memory' })
    waymark.track('A')
    await world.advance(5000)
    expect(world.service.names()).toEqual(['A'])
    expect(await indexedDB.databases()).toEqual([])
  })
})

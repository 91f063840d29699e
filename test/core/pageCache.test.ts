import { describe, expect, it } from 'vitest'
import { quiet } from '../world/createDisk'
import { createWorld, withTransact } from '../world/createWorld'
import { readRecords } from '../world/readStore'

type End = 'fails' | 'succeeds' | 'fails late' | 'never ends'

/** A page that goes into the page cache, and comes back, while its database writes what it has tracked. */
const open = async () => {
  const world = createWorld()
  const page: { next?: End | undefined; release: () => void } = { release() {} }
  const tab = world.openTab(
    'https://shop.test/',
    withTransact(async (database, mode, work) => {
      const end = page.next
      if (mode !== 'put' || !end) return database.transact(mode, work)
      page.next = undefined
      // It is under way; what becomes of it is said when the page is back.
      const told = new Promise<void>((resolve) => (page.release = resolve))
      if (end === 'succeeds') await database.transact(mode, work)
      else work({ put() {}, delete() {} } as never, () => {})
      await told
      if (end !== 'succeeds') throw new DOMException('lost', 'UnknownError')
    }),
  )
  const waymark = tab.init()
  await world.advance(3000)
  const comeBack = async (end: End) => {
    tab.leave()
    await world.advance(3000)
    tab.fire('pageshow', 'visible')
    if (end === 'fails' || end === 'succeeds') page.release()
    await world.advance(10_000)
    if (end === 'fails late') page.release()
  }
  /** Waits for all that this page still sends; then another one looks for what it has left. */
  const visitNext = async () => {
    await world.advance(60_000)
    tab.leave()
    tab.crash()
    world.openTab().init().track('Next')
    await world.advance(60_000)
    return world.service.names()
  }
  return { world, tab, waymark, page, comeBack, visitNext }
}

describe('a put that was under way when the page left', () => {
  it.each(['fails', 'succeeds', 'fails late', 'never ends'] as const)(
    'and that %s loses nothing',
    async (end) => {
      const { world, tab, waymark, page, comeBack, visitNext } = await open()
      tab.fire('offline')
      page.next = 'fails'
      waymark.track('Lost?')
      await world.settle()
      await comeBack(end)
      tab.fire('online')
      expect((await visitNext()).filter((name) => name === 'Lost?')).toEqual(['Lost?'])
    },
  )
})

it('a delete that was under way, and that fails, is made again', async () => {
  const { world, waymark, page, comeBack } = await open()
  waymark.track('Sent')
  await world.advance(1000)
  page.next = 'fails'
  await world.advance(1000)
  expect(world.service.names()).toEqual(['Sent'])
  await comeBack('fails')
  waymark.track('Later')
  await world.advance(60_000)
  expect(await readRecords()).toEqual([])
})

it('a queue is not sent again by a page that leaves as soon as it is back', async () => {
  const { world, tab, waymark } = await open()
  world.service.become({ kind: 'down' })
  waymark.track('Once')
  await world.advance(3000)
  tab.leave()
  await world.advance(10_000)
  world.service.become({ kind: 'well' })
  world.openTab().init()
  await world.advance(10_000)
  tab.fire('pageshow', 'visible')
  await world.settle()
  tab.leave()
  await world.advance(10_000)
  expect(world.service.names()).toEqual(['Once'])
})

it.each([
  ['an acceptance', { kind: 'well' }],
  ['a failure', { kind: 'answers', status: 503, body: '' }],
] as const)('%s that comes just after the return changes nothing of what was handed off', async (_, mood) => {
  const { world, tab, waymark, visitNext } = await open()
  world.service.become(mood)
  world.service.hold()
  const { outcome } = waymark.track('Under way')
  await world.advance(2000)
  tab.leave()
  await world.settle()
  expect(await outcome).toEqual({ status: 'handed-off' })
  tab.fire('pageshow', 'visible')
  world.service.answerNow()
  await world.advance(1000)
  expect(waymark.stats()).toMatchObject({ queued: 0, handedOff: 1, state: 'idle' })
  world.service.become({ kind: 'well' })
  const names = await visitNext()
  expect(names.filter((name) => name === 'Under way')).toHaveLength(mood.kind === 'well' ? 1 : 0)
})

describe('a page that goes begins nothing that hangs the database in WebKit', () => {
  it('when it tracks, and has not read its visitor', async () => {
    const world = createWorld({ ...quiet, delay: (step) => (step === 'work' ? 100 : undefined) })
    const tab = world.openTab()
    const waymark = tab.init()
    await world.settle()
    expect(world.disk.unasked(tab)).toBe(1)
    tab.leave()
    waymark.track('Last')
    expect(world.disk.unasked(tab)).toBe(0)
  })

  it.each([
    ['granted', 'granted', 'granted'],
    ['granted', 'pending', 'granted'],
    ['denied', 'granted', 'denied'],
  ] as const)('when the visitor chooses "%s"; the next page knows it', async (chosen, before, after) => {
    const world = createWorld({ ...quiet, delay: (step) => (step === 'work' ? 100 : undefined) })
    const tab = world.openTab()
    const waymark = tab.init({ consent: 'pending' })
    waymark.setConsent(before)
    await world.advance(1000)
    tab.leave()
    waymark.setConsent(chosen)
    await world.settle()
    expect(world.disk.unasked(tab)).toBe(0)
    await world.advance(1000)
    tab.crash()
    const next = world.openTab().init({ consent: 'pending' })
    await world.advance(1000)
    expect(next.getConsent()).toBe(after)
  })
})

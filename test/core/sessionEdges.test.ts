import { describe, expect, it } from 'vitest'
import type { InitConfig, Waymark } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

const second = 1000
const minute = 60 * second
type World = ReturnType<typeof createWorld>

const sessionsOf = (world: World) => world.service.events().map(({ session_id }) => session_id)
const sessionOf = (world: World, name: string) =>
  world.service.events().find(({ event }) => event === name)!.session_id

describe('one session is begun', () => {
  /** Lets so many turns of the event loop pass before the next tab, so that each order of their transactions occurs. */
  const turns = [0, 1, 2, 3, 5, 8, 13, 21]
  const wait = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const openTabs = async (
    world: World,
    count: number,
    act: (waymark: Waymark) => void,
    config?: Partial<InitConfig>,
  ) => {
    for (let n = 0; n < 3; n++) {
      act(world.openTab().init(config))
      await wait(count)
    }
    await world.advance(5000)
  }

  it.each(turns)('by three tabs that a browser restores, %i turns apart', async (count) => {
    const world = createWorld()
    await openTabs(world, count, (waymark) => void waymark.page())
    expect(sessionsOf(world)).toHaveLength(3)
    expect(new Set(sessionsOf(world)).size).toBe(1)
  })

  it.each(turns)(
    'by three restored tabs of a visitor whose last session is over, %i turns apart',
    async (count) => {
      const world = createWorld()
      const earlier = world.openTab()
      earlier.init().track('Earlier')
      await world.advance(3000)
      const before = sessionOf(world, 'Earlier')
      earlier.leave()
      earlier.crash()
      await world.advance(45 * minute)
      await openTabs(world, count, (waymark) => void waymark.page())
      const sessions = new Set(sessionsOf(world).slice(1))
      expect(sessions.size).toBe(1)
      expect(sessions).not.toContain(before)
    },
  )

  it.each(turns)('by three tabs of which one is given consent, %i turns apart', async (count) => {
    const world = createWorld()
    const tabs: Waymark[] = []
    await openTabs(
      world,
      count,
      (waymark) => {
        tabs.push(waymark)
        waymark.page()
      },
      { consent: 'pending' },
    )
    tabs[1]!.optIn()
    await wait(count)
    tabs[1]!.track('Agreed')
    await world.advance(5000)
    expect(sessionsOf(world)).toHaveLength(4)
    expect(new Set(sessionsOf(world)).size).toBe(1)
  })

  it.each(turns)('by three tabs that wake up after the last one is over, %i turns apart', async (count) => {
    const world = createWorld()
    const tabs = [1, 2, 3].map(() => world.openTab().init())
    tabs[0]!.track('First')
    await world.advance(40 * minute)
    for (const tab of tabs) {
      tab.track('Later')
      await wait(count)
    }
    await world.advance(5000)
    const [first, ...later] = sessionsOf(world)
    expect(later).toHaveLength(3)
    expect(new Set(later).size).toBe(1)
    expect(later[0]).not.toBe(first)
  })

  it('by three tabs that wake up in one task after the last one is over', async () => {
    const world = createWorld()
    const tabs = [1, 2, 3].map(() => world.openTab().init())
    await Promise.all(tabs.map((tab) => tab.ready()))
    tabs[0]!.track('First')
    await world.advance(40 * minute)
    for (const tab of tabs) tab.track('Later')
    await world.advance(5000)
    const [first, ...later] = sessionsOf(world)
    expect(later).toHaveLength(3)
    expect(new Set(later).size).toBe(1)
    expect(later[0]).not.toBe(first)
  })

  it('and told once in each tab', async () => {
    const world = createWorld()
    const told: string[][] = []
    await openTabs(world, 2, (waymark) => {
      const ids: string[] = []
      told.push(ids)
      waymark.on('session', ({ id }) => ids.push(id))
      waymark.page()
    })
    expect(new Set(told.flat()).size).toBe(1)
    for (const ids of told) expect(ids.length).toBeLessThanOrEqual(1)
  })
})

describe('what waits for consent', () => {
  const wait = async (...gaps: number[]) => {
    const world = createWorld()
    const waymark = world.openTab().init({ consent: 'pending' })
    waymark.track('E0')
    for (const [n, gap] of gaps.entries()) {
      await world.advance(gap)
      waymark.track(`E${n + 1}`)
    }
    await world.advance(minute)
    waymark.optIn()
    await world.advance(5000)
    waymark.track('After')
    await world.advance(5000)
    return { world, waymark, sessions: sessionsOf(world) }
  }

  it('is two sessions when 40 minutes lie between', async () => {
    const { waymark, sessions } = await wait(40 * minute, 5 * minute)
    expect(sessions).toHaveLength(4)
    expect(sessions[1]).not.toBe(sessions[0])
    expect(sessions.slice(1)).toEqual(Array(3).fill(waymark.ids.sessionId))
  })

  it('is one session when no half hour lies between', async () => {
    const { sessions } = await wait(29 * minute, 29 * minute, 29 * minute)
    expect(new Set(sessions).size).toBe(1)
  })

  it('is another session than what is called after consent that came late', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ consent: 'pending' })
    waymark.track('Before')
    await world.advance(40 * minute)
    waymark.optIn()
    waymark.track('After')
    await world.advance(5000)
    expect(sessionOf(world, 'After')).not.toBe(sessionOf(world, 'Before'))
    expect(waymark.ids.sessionId).toBe(sessionOf(world, 'After'))
  })
})

describe.each([
  ['the same page', false],
  ['the next page', true],
])('idleness, on %s', (_, isNextPage) => {
  /** Events at these times, then one after so much idleness. */
  const idle = async (gaps: number[], ms: number) => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.init()
    await waymark.ready()
    waymark.track('First')
    for (const gap of gaps) {
      await world.advance(gap)
      waymark.track('Again')
    }
    await world.settle()
    if (isNextPage) {
      await world.advance(5000)
      tab.leave()
      tab.crash()
    }
    await world.advance(isNextPage ? ms - 5000 : ms)
    const last = isNextPage ? world.openTab().init() : waymark
    last.track('Last')
    await world.advance(5000)
    return sessionOf(world, 'Last') === sessionOf(world, 'First')
  }
  const gaps = [
    ['few events', [3 * second]],
    ['events every second', Array(12).fill(second)],
    [
      'several events over minutes',
      [9 * second, 9 * second, 9 * second, 9.9 * second, 4 * minute, 9 * second],
    ],
  ] as const

  it.each(gaps)('of 29:55 after %s lets the session go on', async (__, times) => {
    expect(await idle([...times], 29 * minute + 55 * second)).toBe(true)
  })

  it.each(gaps)('of 30:01 after %s ends it', async (__, times) => {
    expect(await idle([...times], 30 * minute + second)).toBe(false)
  })
})

it.each([
  ['reset', 'reset'],
  ['identify', 'reset'],
  ['identify', 'identify'],
] as const)('a session has one visitor, after %s in one tab and %s in another at once', async (...acts) => {
  const world = createWorld()
  const tabs = [1, 2].map(() => world.openTab().init())
  for (const tab of tabs) tab.track('Before')
  await world.advance(3000)
  const next = acts.map((act, n) => () => {
    if (act === 'reset') tabs[n]!.reset()
    else tabs[n]!.identify(`user ${n}`)
    tabs[n]!.track('After')
  })
  for (const act of next) act()
  await world.advance(3000)
  for (let round = 0; round < 3; round++)
    for (const tab of tabs) {
      tab.track('Later')
      await world.advance(1500)
    }
  const visitors = new Map<string, Set<string>>()
  for (const {
    event,
    session_id: session,
    device_id: device,
    anonymous_id,
    distinct_id,
  } of world.service.events()) {
    if (event === 'Before') continue
    const visitor = `${device} ${anonymous_id ?? distinct_id}`
    visitors.set(session!, (visitors.get(session!) ?? new Set()).add(visitor))
  }
  for (const [, found] of visitors) expect(found.size).toBe(1)
})

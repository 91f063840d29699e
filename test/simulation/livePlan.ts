import { vi } from 'vitest'
import { newId } from '../../src/core/ids'
import type { Outcome, Waymark } from '../../src/core/types'
import { createWorld, type World } from '../world/createWorld'
import type { Quirks } from '../world/createDisk'
import { createNetwork, numberOf, type Request } from './createNetwork'
import { createRandom, type Action, type Called, type Plan } from './drawPlan'

const databaseName = 'waymark production pk_test'

/** One page's life. */
export interface Page {
  number: number
  tab: ReturnType<World['openTab']>
  waymark: Waymark
  state: 'open' | 'cache' | 'frozen' | 'asleep' | 'gone'
  isGoing: boolean
  /** Bytes of keepalive requests under way. */
  inFlight: number
  isWarned: boolean
  /** When its visitor was known, and when it last came back, was frozen, put away or slept. */
  readyAt: number
  backAt: number
  awayAt: number
  /** When it slept, without having been told. */
  sleeps: number[]
  goneAt: number
  isKilled: boolean
  errors: { code: string; message: string }[]
  /** When it went, and was told. */
  leaves: {
    at: number
    /** Something may keep what it hands off from arriving; the page, or another one, has heard of that. */
    isDown: boolean
    isWarned: boolean
  }[]
}

/** One call, and what became of it. */
export interface Call {
  n: number
  what: Called
  page: Page
  at: number
  /** What the page's visitor had agreed to. */
  consent: string
  /** What it was called in: a handler of a page that goes, its last task, or any other. */
  when: 'usual' | 'last' | 'exit'
  ids: Waymark['ids']
  outcome?: Outcome
}

/** When something of the disk was not well, from until. */
export interface Trouble {
  is: string
  from: number
  to: number
}

export interface Facts {
  plan: Plan
  pages: Page[]
  calls: Call[]
  requests: Request[]
  troubles: Trouble[]
  choices: { at: number; state: string; page: Page; isGoing: boolean }[]
  /** Calls that make no payload, each with the number of payloads that were called before it. */
  acts: { after: number; call: Called['call'] }[]
  /** Timers that the last page has when it has nothing to do. */
  timers: number
  queued: number
  /** What was told to be dropped, by the number of its call. */
  drops: Map<number, string>
  problems: string[]
  /** Keys and texts that are left on the disk. */
  rows: [IDBValidKey, unknown][]
  databases: string[]
  lastConsent: string
  notes: string[]
}

/** Lives a plan from its first page to a last one that finds what the others have left. */
export function livePlan(plan: Plan): Facts {
  const draw = createRandom(plan.seed ^ 0x5eed)
  const drawDelay = createRandom(plan.seed ^ 0xd15c)
  const bytes = createRandom(plan.seed ^ 0xb17e)
  vi.stubGlobal('crypto', {
    getRandomValues: (array: Uint8Array) => array.map(() => bytes.below(256)),
  })
  // What is left of the random bytes of the life before is used up.
  newId(4000)
  const has = (fault: Plan['faults'][number]) => plan.faults.includes(fault)
  let diskIs: 'well' | 'slow' | 'failing' | 'full' = 'well'
  const quirks: Quirks = {
    delay: (step) =>
      diskIs === 'slow' && step !== 'tell'
        ? drawDelay.pick([50, 900, 4000, 20_000])
        : drawDelay.chance(0.5)
          ? undefined
          : drawDelay.below(step === 'open' ? 4 : 2),
    fails: (step) =>
      has('noDisk')
        ? new DOMException('denied', 'SecurityError')
        : diskIs === 'failing' && step === 'transact'
          ? new DOMException('broken', 'UnknownError')
          : undefined,
    survives: () => true,
    drops: (owner) =>
      plan.engine === 'webkit' &&
      pages.some((page) => page.tab === owner && page.isGoing && page.tab.isHidden),
    quota: Infinity,
  }
  const world = createWorld(quirks)
  const { scheduler, disk } = world
  const network = createNetwork(world, draw)
  const now = () => scheduler.now()
  const pages: Page[] = []
  const calls: Call[] = []
  const troubles: Trouble[] = []
  const problems: string[] = []
  const choices: Facts['choices'] = []
  const drops: Facts['drops'] = new Map()
  const acts: Facts['acts'] = []
  let isOnline = true

  const openPage = () => {
    const tab = world.openTab('https://shop.test/', {
      random: () => draw.next(),
      ...(has('noNotes') && { writeNote() {}, readNote: () => '' }),
      ...(has('noChannel') && { channel: () => undefined }),
      fetch: (to, init) => network.fetch(page, to, init),
    })
    const page: Page = {
      number: pages.length,
      tab,
      waymark: {} as Waymark,
      state: 'open',
      isGoing: false,
      inFlight: 0,
      isWarned: false,
      readyAt: Infinity,
      backAt: -Infinity,
      awayAt: -Infinity,
      sleeps: [],
      goneAt: Infinity,
      isKilled: false,
      errors: [],
      leaves: [],
    }
    pages.push(page)
    tab.isOnline = isOnline
    tab.hasWorker = has('worker')
    tab.canDefer = has('worker') && plan.engine === 'chromium'
    scheduler.perform(() => {
      page.waymark = tab.create()
      page.waymark.on('error', (error) => page.errors.push(error))
      page.waymark.on('drop', ({ payload, reason }) => {
        if (payload) drops.set(numberOf(JSON.parse(payload)), reason)
      })
      page.waymark.on('identity', () => (page.readyAt = Math.min(page.readyAt, now())))
      page.waymark.init('pk_test', { endpoint: 'https://api.test', ...plan.config })
    })
    return page
  }

  const makeCall = (page: Page, what: Called, when: Call['when']) => {
    const { waymark } = page
    const n = calls.length + 1
    const call: Call = {
      n,
      what,
      page,
      at: now(),
      consent: waymark.getConsent(),
      when,
      ids: { ...waymark.ids },
    }
    const follow = (tracked: { outcome: Promise<Outcome> }) => {
      calls.push(call)
      void tracked.outcome.then((outcome) => (call.outcome = outcome))
    }
    acts.push({ after: n - 1, call: what.call })
    switch (what.call) {
      case 'track':
        return follow(
          waymark.track(what.isPoison ? 'Poison' : `E${n}`, {
            n,
            ...(what.size && { text: 'x'.repeat(what.size) }),
          }),
        )
      case 'identify':
        return follow(waymark.identify(what.user!, { n }))
      case 'traits':
        return follow(waymark.updateTraits({ n }))
      case 'alias':
        return follow(waymark.alias(`alias-${n}`))
      case 'reset':
        return waymark.reset()
      case 'register':
        return waymark.register({ registered: n })
      case 'unregister':
        return waymark.unregister('registered')
      case 'flush':
        return void waymark.flush()
      case 'consent':
        choices.push({ at: now(), state: what.state, page, isGoing: page.isGoing })
        return waymark.setConsent(what.state)
    }
  }

  const makeCalls = (page: Page, list: Called[], when: Call['when'] = 'usual') => {
    for (const what of list) makeCall(page, what, when)
  }

  const alive = (state: Page['state'] | 'any', wanted: number) => {
    const some = pages.filter((page) => page.state !== 'gone' && (state === 'any' || page.state === state))
    return some[wanted % (some.length || 1)]
  }

  const end = (page: Page, isKilled: boolean) => {
    page.state = 'gone'
    page.goneAt = now()
    page.isKilled = isKilled
    page.tab.crash()
  }

  const checkLeft = (page: Page) => {
    if (disk.unasked(page.tab))
      problems.push(`page ${page.number} left with a transaction that only it can end`)
  }

  const noteLeave = (page: Page) => {
    const { mood } = network.state
    const isWarned = network.state.isWarned || page.isWarned
    page.leaves.push({ at: now(), isDown: mood !== 'well' || isWarned || !isOnline, isWarned })
  }

  const leave = (page: Page, action: Action & { do: 'leave' }) => {
    const { tab } = page
    const tell = () => {
      page.isGoing = true
      if (action.to === 'frozen') tab.fire('freeze')
      else
        tab.fire(
          ...(action.hiddenFirst ? (['hidden', 'pagehide'] as const) : (['pagehide', 'hidden'] as const)),
        )
      makeCalls(page, action.exit, 'exit')
    }
    if (action.inOneTask)
      scheduler.perform(() => {
        makeCalls(page, action.calls, 'last')
        tell()
      })
    else {
      scheduler.perform(() => makeCalls(page, action.calls, 'last'))
      scheduler.perform(tell)
    }
    noteLeave(page)
    page.awayAt = now()
    checkLeft(page)
    if (action.to === 'gone') return end(page, false)
    page.state = action.to
    tab.sleep()
  }

  const back = (page: Page) => {
    page.isGoing = false
    page.backAt = now()
    const was = page.state
    page.state = 'open'
    scheduler.perform(() =>
      was === 'frozen' ? page.tab.fire('resume') : page.tab.fire('pageshow', 'visible'),
    )
    page.tab.wake()
  }

  const setDisk = (is: typeof diskIs) => {
    const last = troubles.at(-1)
    if (last) last.to = Math.min(last.to, now())
    if (is !== 'well') troubles.push({ is, from: now(), to: Infinity })
    diskIs = is
    quirks.quota = is === 'full' ? 0 : Infinity
  }

  const setOnline = (next: boolean) => {
    isOnline = network.state.isOnline = next
    if (!next) network.state.isWarned = true
    for (const page of pages)
      if (page.state === 'open') {
        page.isWarned ||= !next
        scheduler.perform(() => page.tab.fire(next ? 'online' : 'offline'))
      } else page.tab.isOnline = next
  }

  const act = (action: Action) => {
    switch (action.do) {
      case 'open':
        if (pages.filter(({ state }) => state !== 'gone').length < (has('tabs') ? 4 : 1)) openPage()
        return
      case 'call': {
        const page = alive('open', action.tab)
        if (!page || !action.calls[0]) return
        scheduler.perform(() => {
          if (action.inListener) {
            const stop = page.waymark.on('sent', () => {
              stop()
              makeCalls(page, action.calls)
            })
          } else makeCalls(page, action.calls.slice(0, action.microtasks ? 1 : undefined))
          if (action.microtasks && !action.inListener) {
            let later = Promise.resolve()
            for (let n = 0; n < action.microtasks; n++) later = later.then(() => {})
            void later.then(() => makeCalls(page, action.calls.slice(1)))
          }
        })
        return
      }
      case 'leave': {
        const page = alive('open', action.tab)
        if (page) leave(page, action)
        return
      }
      case 'back': {
        const page = alive('cache', action.tab) ?? alive('frozen', action.tab)
        if (page) back(page)
        return
      }
      case 'hide':
      case 'show': {
        const page = alive('open', action.tab)
        if (page && page.tab.isHidden !== (action.do === 'hide'))
          scheduler.perform(() => page.tab.fire(action.do === 'hide' ? 'hidden' : 'visible'))
        return
      }
      case 'crash': {
        const page = alive('any', action.tab)
        if (page) end(page, true)
        return
      }
      case 'sleep': {
        const page = alive('open', action.tab)
        if (!page) return
        page.state = 'asleep'
        page.sleeps.push(now())
        page.awayAt = now()
        page.tab.sleep()
        return
      }
      case 'wake': {
        const page = alive('asleep', action.tab)
        if (!page) return
        page.state = 'open'
        page.backAt = now()
        page.tab.wake()
        return
      }
      case 'online':
      case 'offline':
        return setOnline(action.do === 'online')
      case 'mood':
        network.state.mood = action.mood
        return
      case 'wait':
        return scheduler.runNow(now() + action.ms)
      case 'step': {
        const last = scheduler.ran() + action.tasks
        return scheduler.runNow(now() + 50, () => scheduler.ran() < last)
      }
      case 'clock':
        world.setClock(world.now() + action.ms)
        return
      case 'disk':
        return setDisk(action.is)
      case 'disconnect': {
        const page = alive('open', action.tab)
        if (!page) return
        troubles.push({ is: 'disconnect', from: now(), to: now() })
        disk.disconnect(page.tab, action.isTold)
      }
    }
  }

  for (const action of plan.actions) act(action)

  // Everything is well again. The pages go, and a last one finds what they have left: in a session of its own.
  network.state.mood = 'well'
  setDisk('well')
  if (!isOnline) setOnline(true)
  scheduler.runNow(now() + 400)
  for (const page of pages)
    if (page.state === 'open')
      leave(page, {
        do: 'leave',
        tab: 0,
        to: 'gone',
        calls: [],
        exit: [],
        inOneTask: false,
        hiddenFirst: false,
      })
    else if (page.state !== 'gone') end(page, true)
  scheduler.runNow(now() + 7_500_000)
  const last = openPage()
  for (const _ of [1, 2, 3]) {
    scheduler.runNow(now() + 120_000)
    scheduler.perform(() => void last.waymark.flush())
  }
  scheduler.runNow(now() + 120_000)
  return {
    plan,
    pages,
    calls,
    requests: network.requests,
    troubles,
    choices,
    acts,
    timers: scheduler.waiting(),
    queued: last.waymark.stats().queued,
    drops,
    problems,
    rows: disk.rows(databaseName),
    databases: disk.names(),
    lastConsent: last.waymark.getConsent(),
    notes: [...world.notes.values()],
  }
}

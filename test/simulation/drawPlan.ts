import type { InitConfig } from '../../src/core/types'

/** Draws the same numbers for the same seed. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (count: number) => Math.floor(next() * count),
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
  }
}

export type Random = ReturnType<typeof createRandom>

/** How the network and the service are. */
export const moods = [
  'well',
  'slow',
  'down',
  'hangs',
  /** It takes a request, whose answer is lost. */
  'mute',
  'fails',
  /** It takes a request and answers that it failed. */
  'confused',
  'busy',
  'captive',
  'misconfigured',
  'small',
] as const
export type Mood = (typeof moods)[number]

export type Called =
  | { call: 'track' | 'identify' | 'alias' | 'traits'; size?: number; isPoison?: boolean; user?: string }
  | { call: 'reset' | 'register' | 'unregister' | 'flush' }
  | { call: 'consent'; state: 'granted' | 'denied' | 'pending' | 'anonymous' | 'dismissed' }

export type Action =
  | { do: 'open' }
  | { do: 'call'; tab: number; calls: Called[]; microtasks?: number; inListener?: boolean }
  | {
      do: 'leave'
      tab: number
      to: 'gone' | 'cache' | 'frozen'
      calls: Called[]
      exit: Called[]
      inOneTask: boolean
      hiddenFirst: boolean
    }
  | { do: 'back' | 'hide' | 'show' | 'crash' | 'sleep' | 'wake'; tab: number }
  | { do: 'online' | 'offline' }
  | { do: 'mood'; mood: Mood }
  | { do: 'wait'; ms: number }
  | { do: 'step'; tasks: number }
  | { do: 'clock'; ms: number }
  | { do: 'disk'; is: 'well' | 'slow' | 'failing' | 'full' }
  | { do: 'disconnect'; tab: number; isTold: boolean }

/** What a seed knows at all: where a fault is missing, the rules are strict. */
export const faults = [
  'crash',
  'network',
  'offline',
  'poison',
  'large',
  'cache',
  'freeze',
  'sleep',
  'clock',
  'slowDisk',
  'failingDisk',
  'fullDisk',
  'disconnect',
  'noDisk',
  'noNotes',
  'noChannel',
  'worker',
  'atLeastOnce',
  'consent',
  'anonymous',
  'users',
  'tabs',
] as const
export type Fault = (typeof faults)[number]

export interface Plan {
  seed: number
  engine: 'chromium' | 'firefox' | 'webkit'
  faults: Fault[]
  config: Partial<InitConfig>
  actions: Action[]
}

const callsOf = (random: Random, has: (fault: Fault) => boolean, most: number): Called[] =>
  Array.from({ length: random.below(most + 1) }, (): Called => {
    if (has('users') && random.chance(0.25))
      return random.pick<() => Called>([
        () => ({ call: 'identify', user: random.pick(['ann', 'bob']) }),
        () => ({ call: 'alias' }),
        () => ({ call: 'traits' }),
        () => ({ call: 'reset' }),
        () => ({ call: 'register' }),
        () => ({ call: 'unregister' }),
      ])()
    if ((has('consent') || has('anonymous')) && random.chance(0.2))
      return {
        call: 'consent',
        state: random.pick([
          'granted',
          'granted',
          'denied',
          'pending',
          'dismissed',
          ...(has('anonymous') ? ['anonymous' as const] : []),
        ]),
      }
    if (random.chance(0.05)) return { call: 'flush' }
    return {
      call: 'track',
      ...(has('poison') && random.chance(0.1) && { isPoison: true }),
      ...(has('large') && random.chance(0.15) && { size: random.pick([5000, 20_000, 35_000, 70_000]) }),
    }
  })

/** The life of one visitor's browser, drawn from a seed. */
export function drawPlan(seed: number): Plan {
  const random = createRandom(seed)
  // One fault in a life is met more often than ten at once.
  const share = random.pick([0, 0.1, 0.25, 0.5])
  const own = faults.filter(() => random.chance(share))
  const has = (fault: Fault) => own.includes(fault)
  const config: Partial<InitConfig> = {
    ...(has('atLeastOnce') && { delivery: 'at-least-once' as const }),
    ...(has('consent') && { consent: random.pick(['granted', 'pending', 'denied'] as const) }),
    ...(has('anonymous') && {
      consent: random.pick(['anonymous', 'anonymous', 'denied', 'granted'] as const),
      anonymous: { whenDenied: random.chance(0.5), join: random.chance(0.5) },
    }),
  }
  const actions: Action[] = [{ do: 'open' }]
  const wait = (): Action =>
    random.chance(0.4)
      ? { do: 'step', tasks: random.below(12) }
      : { do: 'wait', ms: random.pick([0, 1, 5, 20, 100, 700, 2000, 3000, 6000, 20_000, 70_000, 1_900_000]) }
  const rare: Action[] = []
  const may = (fault: Fault, ...some: Action[]) => has(fault) && rare.push(...some)
  const count = 4 + random.below(26)
  for (let n = 0; n < count; n++) {
    const tab = random.below(4)
    rare.length = 0
    may('crash', { do: 'crash', tab }, { do: 'crash', tab })
    may(
      'network',
      { do: 'mood', mood: random.pick(moods) },
      { do: 'mood', mood: random.pick(moods) },
      { do: 'mood', mood: 'well' },
    )
    may('offline', { do: random.pick(['offline', 'online'] as const) })
    may(
      'cache',
      { do: 'leave', tab, to: 'cache', ...lastOf(random, has) },
      { do: 'back', tab },
      { do: 'back', tab },
    )
    may(
      'freeze',
      { do: 'leave', tab, to: 'frozen', ...lastOf(random, has) },
      { do: 'back', tab },
      { do: 'back', tab },
    )
    may('sleep', { do: random.pick(['sleep', 'wake', 'wake'] as const), tab })
    may('clock', { do: 'clock', ms: random.pick([-7_200_000, -90_000, -3000, 3000, 90_000, 7_200_000]) })
    may('slowDisk', { do: 'disk', is: 'slow' }, { do: 'disk', is: 'well' })
    may('failingDisk', { do: 'disk', is: 'failing' }, { do: 'disk', is: 'well' })
    may('fullDisk', { do: 'disk', is: 'full' }, { do: 'disk', is: 'well' })
    may('disconnect', { do: 'disconnect', tab, isTold: random.chance(0.5) })
    const usual: Action[] = [
      {
        do: 'call',
        tab,
        calls: callsOf(random, has, random.chance(0.1) ? 45 : 4),
        microtasks: random.chance(0.2) ? random.below(5) : 0,
        inListener: random.chance(0.05),
      },
      { do: 'call', tab, calls: callsOf(random, has, 3) },
      { do: 'leave', tab, to: 'gone', ...lastOf(random, has) },
      { do: 'hide', tab },
      { do: 'show', tab },
      { do: 'open' },
    ]
    actions.push(rare[0] && random.chance(0.45) ? random.pick(rare) : random.pick(usual))
    if (random.chance(0.8)) actions.push(wait())
  }
  return {
    seed,
    engine: random.pick(['chromium', 'firefox', 'webkit'] as const),
    faults: own,
    config,
    actions,
  }
}

const lastOf = (random: Random, has: (fault: Fault) => boolean) => ({
  calls: callsOf(random, has, 2),
  // A page that goes still begins a read for a consent that is taken back without a refusal.
  exit: random.chance(0.2)
    ? callsOf(random, has, 1).filter((one) => one.call !== 'consent' || /granted|denied/.test(one.state))
    : [],
  inOneTask: random.chance(0.3),
  hiddenFirst: random.chance(0.15),
})

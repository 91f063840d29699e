import { anyOrigin, delay } from '../serve/faults.mjs'

const perRound = 5

/**
 * A chain of pages, each of which tracks in its last task and leaves for the next.
 * @param {Partial<import('./types').Plan>} [more]
 * @param {('same' | 'other' | 'insecure')[]} [origins]
 * @returns {(stage: import('./types').Stage) => Promise<void>}
 */
const leave =
  (more = {}, origins = ['same']) =>
  async (stage) => {
    const { rounds } = stage
    const plan = {
      act: /** @type {const} */ ('leave'),
      round: 0,
      rounds,
      count: perRound,
      stayMs: 60,
      origins: origins.map((name) => stage.origin[name]),
      ...more,
    }
    const done = stage.heard('left')
    const tab = await stage.open(plan, plan.origins[0])
    await done
    for (let round = 0; round < rounds; round++) stage.expect(round, perRound)
    // What a closed tab takes along is for the scenarios that close one.
    await stage.arrived(10_000)
    await tab.close()
  }

/** @type {import('./types').Scenario} */
const base = {
  name: '',
  kind: 'leaving',
  leaves: true,
  promise: 'once',
  oneIn: 1,
  fastRounds: 12,
  origins: ['same'],
  act: leave(),
}

/** @type {import('./types').Scenario[]} */
export const leaving = [
  { ...base, name: 'navigate' },
  { ...base, name: 'navigate-cross-site', origins: ['same', 'other'], act: leave({}, ['same', 'other']) },
  { ...base, name: 'navigate-at-once', fastRounds: 8, act: leave({ stayMs: 0 }) },
  {
    ...base,
    name: 'navigate-in-flight',
    oneIn: 2,
    fastRounds: 6,
    async act(stage) {
      stage.proxy.play(delay(300))
      await leave({ flushFirst: true })(stage)
      stage.proxy.play()
    },
  },
  {
    ...base,
    name: 'any-origin',
    oneIn: 2,
    fastRounds: 8,
    async act(stage) {
      stage.proxy.play(anyOrigin())
      await leave()(stage)
    },
  },
  {
    ...base,
    name: 'insecure-origin',
    oneIn: 2,
    fastRounds: 8,
    origins: ['insecure'],
    act: leave({}, ['insecure']),
  },
]

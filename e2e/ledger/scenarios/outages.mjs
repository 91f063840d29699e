import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../engines/waitFor.mjs'
import { garbage, hang, notOk, tooMany, unavailable } from '../serve/faults.mjs'

const mostRequests = 6

/**
 * A fault begins, 20 events are tracked, the fault ends after a while: all of them arrive, once.
 * @param {string} name
 * @param {(stage: import('./types').Stage) => { fault: import('../serve/faults.mjs').Fault, forMs: number, config?: object }} choose
 * @param {Partial<import('./types').Scenario>} [more]
 * @returns {import('./types').Scenario}
 */
const outage = (name, choose, more) => ({
  name,
  kind: 'outage',
  promise: 'once',
  oneIn: 50,
  fastRounds: 1,
  origins: ['same'],
  async act(stage) {
    const { proxy } = stage
    for (let round = 0; round < stage.rounds; round++) {
      const { fault, forMs, config } = choose(stage)
      const tab = await stage.open({ act: 'stay', ...(config && { config: { ...config } }) })
      proxy.play(fault)
      const before = proxy.requests.length
      await stage.track(tab, 20, round)
      await sleep(forMs)
      const isAsked = () => proxy.requests.length > before
      await waitFor('a request in the outage', isAsked).catch(() => {})
      const made = proxy.requests.slice(before)
      proxy.play()
      stage.note(`${made.length} requests in ${forMs / 1000} s`)
      if (made.length === 0) stage.miss('nothing was sent in the outage')
      if (made.length > mostRequests)
        stage.miss(`${made.length} requests in the outage, at most ${mostRequests}`)
      // The fast form does not wait for the backoff: a page that asks for it sends at once.
      if (stage.fast) await tab.run('void waymark.flush()')
      await stage.emptied(tab)
      await tab.close()
    }
  },
  ...more,
})

/** @type {import('./types').Scenario[]} */
export const outages = [
  outage('answers-503', ({ fast }) => ({ fault: unavailable(), forMs: fast ? 8000 : 20_000 })),
  outage('answers-garbage', ({ fast }) => ({ fault: garbage(), forMs: fast ? 6000 : 20_000 })),
  outage('answers-not-ok', ({ fast }) => ({ fault: notOk(), forMs: fast ? 6000 : 20_000 })),
  outage(
    'hangs',
    ({ fast }) =>
      fast
        ? { fault: hang(8000), forMs: 8000, config: { transport: { timeoutMs: 3000 } } }
        : { fault: hang(30_000), forMs: 30_000 },
    { promise: 'same-id' },
  ),
  // The service has it, the page never hears so.
  outage('answer-cut', () => ({ fault: hang(0), forMs: 4000 }), { promise: 'same-id' }),
  {
    name: 'answers-429',
    kind: 'outage',
    promise: 'once',
    oneIn: 50,
    fastRounds: 1,
    origins: ['same'],
    async act(stage) {
      const { proxy } = stage
      for (let round = 0; round < stage.rounds; round++) {
        const tab = await stage.open({ act: 'stay' })
        proxy.play(tooMany(5))
        const before = proxy.requests.length
        await stage.track(tab, 20, round)
        const first = await waitFor('the first request', () => proxy.requests[before])
        await sleep(4000)
        proxy.play()
        await stage.emptied(tab)
        const second = proxy.requests[before + 1]
        const waitedMs = second ? second.at - first.at : 0
        stage.note(`next request after ${(waitedMs / 1000).toFixed(1)} s`)
        if (waitedMs < 4990) stage.miss(`Retry-After: 5, and the next request came after ${waitedMs} ms`)
        await tab.close()
      }
    },
  },
]

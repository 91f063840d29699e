import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../engines/waitFor.mjs'

const perStay = 5
const leastRestored = 0.75
/** Chromium tells why it did not keep a page, unless it is for reasons of its own; the others never do. */
const nameless = ['[{"reason":"masked"}]', 'no reason given']
const why = `JSON.stringify(performance.getEntriesByType('navigation')[0].notRestoredReasons?.reasons) ?? 'no reason given'`

/** @type {import('./types').Scenario[]} */
export const returning = [
  {
    // There, away, back from the page cache, forward again: what each stay tracked arrives once.
    name: 'bfcache',
    kind: 'leaving',
    promise: 'once',
    oneIn: 4,
    fastRounds: 3,
    origins: ['same'],
    async act(stage) {
      let restored = 0
      /** @type {string[]} */
      const reasons = []
      for (let round = 0; round < stage.rounds; round++) {
        const first = { act: /** @type {const} */ ('stay'), round: 1 }
        const second = { ...first, round: 2 }
        const tab = await stage.open(first)
        await stage.track(tab, perStay, round)
        await tab.goto(stage.urlOf(second))
        await stage.track(tab, perStay, round, perStay)
        for (const [turn, go] of [tab.back, tab.forward].entries()) {
          await go()
          // The page that is leaving may still answer.
          const isThere = `globalThis.ledger?.page === ${turn + 1}`
          await waitFor('the other page', () => tab.run(isThere).catch(() => false))
          if ((await tab.run('ledger.returns()')) > 0) restored++
          else reasons.push(await tab.run(why))
          await stage.track(tab, perStay, round, perStay * (2 + turn))
        }
        // Closing a tab at once is another scenario: what a page that is back tracks is on disk after 300 ms.
        await sleep(1000)
        await tab.close()
      }
      const turns = stage.rounds * 2
      stage.note(`${restored} of ${turns} restored`)
      for (const reason of reasons) stage.note(`not restored: ${reason}`)
      // A machine under load lets a browser give up a page now and then.
      const isExcused =
        reasons.every((reason) => nameless.includes(reason)) && restored >= turns * leastRestored
      if (restored < turns && !isExcused) stage.miss('the page cache was lost')
    },
  },
]

import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../engines/waitFor.mjs'

/**
 * A request has failed: a page that goes before it hands over what it holds, into nothing.
 * @param {import('../engines/types').Tab} tab
 */
const knows = (tab) =>
  waitFor('the page knows of the outage', () => tab.run("ledger.stats().state === 'waiting'"))

/** @type {import('./types').Scenario[]} */
export const unreachable = [
  {
    name: 'offline-reload',
    kind: 'outage',
    promise: 'once',
    oneIn: 20,
    fastRounds: 1,
    origins: ['same'],
    async act(stage) {
      for (let round = 0; round < stage.rounds; round++) {
        const tab = await stage.open({ act: 'stay' })
        // A page that goes before its database was ever open has nowhere to keep what it cannot send.
        await stage.storing(tab)
        await stage.proxy.refuse()
        await stage.track(tab, 50, round)
        await knows(tab)
        await tab.goto(stage.urlOf({ act: 'stay' }))
        await stage.track(tab, 50, round, 50)
        await sleep(2500)
        await stage.proxy.accept()
        if (!(await stage.arrived())) stage.miss('not all had arrived after the longest pause')
        await stage.emptied(tab)
        await tab.close()
      }
    },
  },
  {
    name: 'three-tabs',
    kind: 'outage',
    promise: 'once',
    oneIn: 20,
    fastRounds: 1,
    origins: ['same'],
    async act(stage) {
      for (let round = 0; round < stage.rounds; round++) {
        await stage.proxy.refuse()
        const tabs = []
        for (let i = 0; i < 3; i++) tabs.push(await stage.open({ act: 'stay' }))
        for (let from = 0; from < 200; from += 20) {
          for (const [i, tab] of tabs.entries()) await stage.track(tab, 20, round, i * 200 + from)
        }
        for (const tab of tabs) await knows(tab)
        for (const tab of tabs) await tab.close()
        // A try under way outlives its tab, and nobody hears whether it arrived: let it be refused.
        await sleep(1000)
        await stage.proxy.accept()
        const again = await stage.open({ act: 'stay' })
        if (!(await stage.arrived())) stage.miss('not all had arrived after the longest pause')
        await stage.emptied(again)
        await again.close()
      }
    },
  },
]

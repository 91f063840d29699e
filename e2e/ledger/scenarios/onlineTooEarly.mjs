import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../engines/waitFor.mjs'
import { away } from '../serve/faults.mjs'

const perRound = 5
/** How long the page stays after it has heard `online`. */
const staysMs = [0, 5, 20, 60]

/** @type {import('./types').Scenario[]} */
export const onlineTooEarly = [
  {
    // The browser says `online` as soon as there is a network; the service may be away for longer.
    name: 'online-too-early',
    kind: 'leaving',
    promise: 'once',
    oneIn: 8,
    fastRounds: 2,
    origins: ['same'],
    async act(stage) {
      for (let round = 0; round < stage.rounds; round++) {
        const tab = await stage.open({ act: 'stay', config: { batch: { intervalMs: 300 } } })
        await stage.storing(tab)
        // The service is well, and the page has seen it.
        await stage.track(tab, 1, round)
        await stage.emptied(tab)
        // Connections are refused at once, or nobody answers for a while.
        const isSilent = round % 2 === 1
        if (isSilent) stage.proxy.play(away(300))
        else await stage.proxy.refuse()
        await tab.run('void ledger.setOnline(false)')
        await stage.track(tab, perRound, round, 1)
        // What was tracked is on disk, and not yet due.
        await tab.run('ledger.written()')
        const stayMs = staysMs[(round >> 1) % staysMs.length]
        const leave = `setTimeout(() => (location.href = '/blank'), ${stayMs})`
        await tab.run(`void (ledger.setOnline(true), ${leave})`)
        await waitFor('the page has left', () =>
          tab.run("location.pathname === '/blank' && document.readyState === 'complete'").catch(() => false),
        )
        await tab.close()
        if (!isSilent) {
          await stage.proxy.accept()
          continue
        }
        // What was given to the network while it was away must not find it back.
        await sleep(600)
        stage.proxy.play()
      }
    },
  },
]

const perRound = 5
const plan = { behindServiceWorker: true, noPageCache: true, reloads: true }

/** @type {import('./types').Scenario[]} */
export const behindWorker = [
  {
    // Chromium lets what a leaving page has handed off die with a worker that lets it fall through.
    name: 'behind-service-worker',
    kind: 'leaving',
    leaves: true,
    // What is handed off there may stay on disk, and arrive again.
    promise: 'same-id',
    oneIn: 1,
    fastRounds: 10,
    origins: ['same'],
    async act(stage) {
      const { rounds, origin } = stage
      const first = await stage.open({ act: 'stay', ...plan })
      await first.run('ledger.registerWorker()')

      const done = stage.heard('left')
      const chain = { act: /** @type {const} */ ('leave'), round: 0, rounds, count: perRound, stayMs: 60 }
      await first.goto(stage.urlOf({ ...plan, ...chain, origins: [origin.same] }))
      await done
      for (let round = 0; round < rounds; round++) stage.expect(round, perRound)
      if (!(await first.run('!!navigator.serviceWorker.controller')))
        stage.miss('the page was not behind the worker')
      await first.close()

      for (let round = rounds; round < rounds + Math.ceil(rounds / 3); round++) {
        const tab = await stage.open({ act: 'stay', ...plan })
        await stage.track(tab, perRound, round)
        await tab.close()
      }
    },
  },
]

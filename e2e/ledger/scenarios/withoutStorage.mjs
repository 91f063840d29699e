const perRound = 5

/**
 * Nothing can be kept on disk, but what a page tracked is sent while it lives or as it goes.
 * @param {string} name @param {string} address @param {Partial<import('./types').Plan>} more
 * @returns {import('./types').Scenario}
 */
const withoutStorage = (name, address, more) => ({
  name,
  kind: 'leaving',
  promise: 'once',
  oneIn: 10,
  fastRounds: 2,
  origins: [],
  async act(stage) {
    for (let round = 0; round < stage.rounds; round++) {
      const tab = await stage.session.open(stage.urlOf({ act: 'stay', ...more }) + address)
      await stage.track(tab, perRound, round)
      await tab.run('new Promise((done) => setTimeout(done, 1300))')
      const { store } = await tab.run('ledger.stats()')
      if (store !== 'memory') stage.miss(`the store is ${store}`)
      // Where the database hangs, the calls wait for it; they go with the page.
      await tab.run('waymark.flush({ timeoutMs: 2000 }).then(() => 0)')
      await stage.track(tab, perRound, round, perRound)
      await tab.goto(`${stage.origin.same}/blank`)
      // A tab that is closed at once may end the process of the page just left before that has run its handlers.
      await stage.arrived(120_000)
      await tab.close()
    }
  },
})

/** @type {import('./types').Scenario[]} */
export const storageScenarios = [
  withoutStorage('indexeddb-refused', '&sandbox', {}),
  withoutStorage('indexeddb-hangs', '', { indexedDb: 'hangs' }),
]

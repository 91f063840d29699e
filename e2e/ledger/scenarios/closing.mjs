const perRound = 5

/** @type {import('./types').Scenario[]} */
export const closing = [
  {
    name: 'close-tab',
    engineLimit: {
      engine: 'firefox',
      twiceShare: 0.05,
      // Measured on a page without the library too: 1 to 3 of 40 closes. The insert id is the same.
      why: 'Firefox drops a delete that waits for a put when it closes a tab',
    },
    kind: 'leaving',
    leaves: true,
    promise: 'once',
    oneIn: 1,
    fastRounds: 8,
    origins: ['same'],
    async act(stage) {
      for (let round = 0; round < stage.rounds; round++) {
        const tab = await stage.open({ act: 'stay' })
        await stage.track(tab, perRound, round)
        await tab.close()
      }
    },
  },
  {
    // The page closes itself in the very task that tracked.
    name: 'window-close',
    engineLimit: {
      engine: 'chromium',
      twiceShare: 0.05,
      // One window of some 400 at a load of 10 to 16 on two processors. The insert id is the same.
      why: 'on a busy machine Chromium may end a window before the delete of what it has sent is written',
    },
    kind: 'alone',
    leaves: true,
    promise: 'once',
    oneIn: 1,
    fastRounds: 8,
    origins: ['same'],
    async act(stage) {
      const { rounds } = stage
      const done = stage.heard('left')
      const plan = { act: /** @type {const} */ ('openPopups'), rounds, count: perRound, stayMs: 60 }
      const url = stage.urlOf({ ...plan, origins: [stage.origin.same] })
      const alone = await stage.engine.launchAlone({ ...stage.launch, url })
      await done
      for (let round = 0; round < rounds; round++) stage.expect(round, perRound)
      // The browser is stopped by a kill, which the last window must not be taken for: what it has handed off is given
      // the time to be sent.
      await stage.arrived(5000)
      await alone.stop()
    },
  },
]

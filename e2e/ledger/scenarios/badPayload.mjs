import { refusePoison } from '../serve/faults.mjs'

const poisoned = 41

/** @type {import('./types').Scenario[]} */
export const badPayload = [
  {
    name: 'one-bad-payload',
    kind: 'outage',
    promise: 'once',
    oneIn: 20,
    fastRounds: 1,
    origins: ['same'],
    async act(stage) {
      stage.proxy.play(refusePoison())
      for (let round = 0; round < stage.rounds; round++) {
        const tab = await stage.open({ act: 'stay' })
        const calls = [
          `ledger.track(${poisoned}, ${round})`,
          `ledger.track(1, ${round}, ${poisoned}, { poison: true })`,
          `ledger.track(${99 - poisoned}, ${round}, ${poisoned + 1})`,
        ]
        await tab.run(`void (${calls.join(', ')})`)
        stage.expect(round, poisoned)
        stage.expect(round, 99 - poisoned, poisoned + 1)
        if (!(await stage.arrived())) stage.miss('its neighbours have not arrived')
        await tab.run('waymark.flush().then(() => 0)')
        const drops = await tab.run('ledger.drops.map(({ reason, errorCode }) => `${reason} ${errorCode}`)')
        stage.note(drops.join(', '))
        if (drops.join() !== 'quarantined property-name-too-long')
          stage.miss(`dropped: ${drops.join(', ') || 'nothing'}`)
        await tab.close()
      }
    },
  },
]

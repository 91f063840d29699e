import { waitFor } from '../engines/waitFor.mjs'
import { hang } from '../serve/faults.mjs'

const perRound = 5

/** @type {import('./types').Scenario[]} */
export const killHidden = [
  {
    // What waits behind a request is in memory alone, without consent. With it the disk has it, and the next visit sends it.
    name: 'kill-hidden',
    kind: 'alone',
    // The only one with `fetchLater`.
    engines: ['chromium'],
    promise: 'same-id',
    oneIn: 4,
    fastRounds: 2,
    origins: ['same'],
    async act(stage) {
      const { engine, launch, rounds, proxy, name } = stage
      const arrived = () => new Set(proxy.arrivals.map(({ id }) => id))
      let kept = 0
      for (let round = 0; round < rounds; round++) {
        proxy.play()
        // From here on the service gets what it is sent, and the page hears nothing more of it.
        const stop = stage.hear('known', () => proxy.play(hang(30_000)))
        const hidden = stage.heard('hidden')
        const plan = { act: /** @type {const} */ ('hide'), round, count: perRound }
        const alone = await engine.launchAlone({ ...launch, url: stage.urlOf(plan) })
        await hidden
        stop()
        await alone.killRenderers()
        stage.expect(round, perRound + 2)
        const waiting = Array.from({ length: perRound }, (_, index) => `${name}/${round}/${index + 2}`)
        const count = () => waiting.filter((id) => arrived().has(id)).length
        await waitFor('what waited', () => count() === perRound, { quietMs: 1000 }).catch(() => {})
        kept += count()
        await alone.stop()
      }
      proxy.play()
      const text = `${kept} of ${rounds * perRound} waiting ones arrived with the kill`
      stage.note(text)
      // What waits in a hidden page is kept even where pages may lose events.
      if (stage.consent === 'anonymous' && kept < rounds * perRound) throw new Error(text)
    },
  },
]

import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Books what a killed page had said: what was written must arrive, the rest may.
 * @param {import('./types').Stage} stage
 * @param {number} round
 * @param {(url: string) => Promise<number>} kill runs the page and resolves to the time of the kill
 * @returns {Promise<number>} how many were written
 */
async function tickUntilKilled(stage, round, kill) {
  /** @type {Map<number, number>} */
  const trackedAt = new Map()
  /** @type {Set<number>} */
  const written = new Set()
  const stop = stage.hear('tracked', (said) => {
    if (Number(said.round) !== round) return
    const index = Number(said.index)
    trackedAt.set(index, Number(said.at))
    if (said.isLate === 'true')
      stage.miss(`the task of ${round}/${index - 1} ended before the disk was asked`)
  })
  const stopWritten = stage.hear('written', (said) => {
    if (Number(said.round) !== round) return
    for (const index of said.written.split(',')) written.add(Number(index))
  })
  const url = stage.urlOf({ act: 'tick', round, stayMs: 100, everyMs: 8 })
  const killedAt = await kill(url)
  await sleep(100)
  stop()
  stopWritten()
  const last = Math.max(...trackedAt.keys(), ...written)
  // The page may have tracked a few more than it could say.
  for (let index = 0; index < last + 20; index++) {
    const at = trackedAt.get(index)
    const remark = at === undefined ? '' : `${killedAt - at} ms old`
    stage.book.expect(`${stage.name}/${round}/${index}`, written.has(index) ? 'must' : 'may', remark)
  }
  return written.size
}

/**
 * Kills a page in each round.
 * @param {import('./types').Stage} stage
 * @param {(url: string, live: () => Promise<void>) => Promise<number>} kill `live` is what it waits for when the page
 *   tracks
 */
async function killInRounds(stage, kill) {
  let written = 0
  for (let round = 0; round < stage.rounds; round++) {
    // On a slow machine a page may be killed before it has written anything. The last one is not, if no other has.
    const mustWrite = !written && round === stage.rounds - 1 && stage.consent === 'granted'
    const wrote = mustWrite ? stage.heard('written') : undefined
    const live = async () => {
      await sleep(lifeMs(round))
      await wrote
    }
    written += await tickUntilKilled(stage, round, (url) => kill(url, live))
  }
  stage.note(`${written} written`)
  if (!written) stage.miss('no page wrote anything before it was killed')
}

/** @param {number} round Not in step with the library's own two seconds. */
const lifeMs = (round) => 250 + ((round * 397) % 2300)

/** @type {import('./types').Scenario} */
const base = {
  name: '',
  kind: 'alone',
  promise: 'same-id',
  oneIn: 4,
  fastRounds: 2,
  origins: ['same'],
  act: async () => {},
}

/** @type {import('./types').Scenario[]} */
export const kills = [
  {
    ...base,
    name: 'kill-renderer',
    async act(stage) {
      const { engine, launch } = stage
      // A driven WebKit keeps its storage in memory alone: there the whole browser starts anew each time.
      const session = engine.name === 'webkit' ? undefined : await engine.launch(launch)
      await killInRounds(stage, async (url, live) => {
        const first = stage.heard('tracked')
        const alone = session ? undefined : await engine.launchAlone({ ...launch, url })
        await session?.open(url)
        await first
        await live()
        const at = await (session ?? alone)?.killRenderers()
        if (at === undefined) throw new Error('nothing to kill')
        await sleep(150)
        await alone?.stop()
        return at
      })
      await session?.close()
    },
  },
  {
    ...base,
    name: 'kill-browser',
    async act(stage) {
      await killInRounds(stage, async (url, live) => {
        const first = stage.heard('tracked')
        const alone = await stage.engine.launchAlone({ ...stage.launch, url })
        await first
        await live()
        return alone.killBrowser()
      })
    },
  },
]

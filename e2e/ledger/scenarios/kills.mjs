import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** Idle and total time of all processors until now. */
const readClock = () => {
  const times = cpus().map((cpu) => cpu.times)
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0)
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((time) => Object.values(time))) }
}

/**
 * Between the call and the disk lie a few milliseconds, more on a machine that is busy.
 * @param {ReturnType<typeof readClock>} before
 */
function safeAfterMs(before) {
  const now = readClock()
  const isBusy = now.idle - before.idle < (now.all - before.all) * 0.3
  return isBusy ? 100 : 50
}

/**
 * Books what a killed page had said: what was old enough must arrive, the rest may.
 * @param {import('./types').Stage} stage
 * @param {number} round
 * @param {(page: { url: string }) => Promise<number>} kill runs the page and resolves to the time of the kill
 */
async function tickUntilKilled(stage, round, kill) {
  /** @type {Map<number, number>} */
  const trackedAt = new Map()
  const stop = stage.hear('tracked', (said) => {
    if (Number(said.round) === round) trackedAt.set(Number(said.index), Number(said.at))
  })
  const url = stage.urlOf({ act: 'tick', round, stayMs: 100, everyMs: 8 })
  const before = readClock()
  const killedAt = await kill({ url })
  const safeMs = safeAfterMs(before)
  await sleep(100)
  stop()
  if (safeMs > 50) stage.note(`busy machine: older than ${safeMs} ms`)
  const last = Math.max(...trackedAt.keys())
  for (const [index, at] of trackedAt) {
    const ageMs = killedAt - at
    stage.book.expect(`${stage.name}/${round}/${index}`, ageMs >= safeMs ? 'must' : 'may', `${ageMs} ms old`)
  }
  // The page may have tracked a few more than it could say.
  for (let index = last + 1; index < last + 20; index++)
    stage.book.expect(`${stage.name}/${round}/${index}`, 'may')
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
      for (let round = 0; round < stage.rounds; round++) {
        await tickUntilKilled(stage, round, async ({ url }) => {
          const first = stage.heard('tracked')
          const alone = session ? undefined : await engine.launchAlone({ ...launch, url })
          await session?.open(url)
          await first
          await sleep(lifeMs(round))
          const at = await (session ?? alone)?.killRenderers()
          if (at === undefined) throw new Error('nothing to kill')
          await sleep(150)
          await alone?.stop()
          return at
        })
      }
      await session?.close()
    },
  },
  {
    ...base,
    name: 'kill-browser',
    async act(stage) {
      for (let round = 0; round < stage.rounds; round++) {
        await tickUntilKilled(stage, round, async ({ url }) => {
          const first = stage.heard('tracked')
          const alone = await stage.engine.launchAlone({ ...stage.launch, url })
          await first
          await sleep(lifeMs(round))
          return alone.killBrowser()
        })
      }
    },
  },
]

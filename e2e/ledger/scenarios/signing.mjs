import { startProcess } from '../engines/startProcess.mjs'
import { endProcesses } from '../engines/processTree.mjs'

const turns = ['in the first task', 'when the ids are known', 'a little later']

/** Keeps both processors of a small machine busy, behind everything else, until the returned function is called. */
function keepBusy() {
  const loops = [1, 2].map(() => startProcess('nice', ['-n', '5', process.execPath, '-e', 'for (;;);']))
  return () => endProcesses(loops.map(({ pid }) => pid))
}

/** @type {import('./types').Scenario[]} */
export const signing = [
  {
    // Four pages a round: one signs in and leaves in the same task, one must know; one signs out, one must know.
    name: 'sign-in-and-out',
    kind: 'leaving',
    promise: 'once',
    oneIn: 4,
    fastRounds: 6,
    origins: ['same'],
    async act(stage) {
      const pages = stage.rounds * 4
      /** @type {Map<string, number>} */
      const forgotten = new Map()
      const stop = stage.hear('knows', ({ knows, isIn, turn }) => {
        if (knows === 'true') return
        const when = `${isIn === 'true' ? 'sign-in' : 'sign-out'} ${turns[Number(turn)]}`
        forgotten.set(when, (forgotten.get(when) ?? 0) + 1)
      })
      const rest = keepBusy()
      try {
        const plan = { act: /** @type {const} */ ('signInAndOut'), round: 0, rounds: pages }
        const done = stage.heard('left')
        const tab = await stage.open({ ...plan, origins: [stage.origin.same] })
        await done
        await tab.close()
      } finally {
        rest()
        stop()
      }
      for (let page = 0; page < pages; page++) stage.expect(page, page % 2 ? 1 : 2)
      for (const [when, times] of forgotten)
        stage.miss(`${when}: forgotten ${times} of ${Math.ceil(stage.rounds / turns.length)} times`)
    },
  },
]

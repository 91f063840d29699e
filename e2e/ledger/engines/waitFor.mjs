import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A backstop: how long nothing may move before it is given up. A page that was refused four times pauses for up to 400
 * seconds.
 */
export const patienceMs = 420_000

/**
 * Asks until there is an answer. It follows progress: it gives up when for `quietMs` nothing has moved.
 * @template T
 * @param {string} what named in the error
 * @param {() => T | Promise<T>} ask
 * @param {{ quietMs?: number, progress?: () => number }} [options] `progress` is a number that changes while something
 *   moves
 * @returns {Promise<NonNullable<T>>}
 */
export async function waitFor(what, ask, { quietMs = patienceMs, progress = () => 0 } = {}) {
  let [last, movedAt] = [progress(), Date.now()]
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    const now = progress()
    if (now !== last) [last, movedAt] = [now, Date.now()]
    else if (Date.now() - movedAt > quietMs)
      throw new Error(`Waited in vain, and ${quietMs / 1000} s without any progress: ${what}`)
    await sleep(25)
  }
}

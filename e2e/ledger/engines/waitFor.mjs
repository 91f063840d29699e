import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks until there is an answer.
 * @template T
 * @param {string} what named in the error
 * @param {() => T | Promise<T>} ask
 * @param {number} [withinMs]
 * @returns {Promise<NonNullable<T>>}
 */
export async function waitFor(what, ask, withinMs = 20_000) {
  const until = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > until) throw new Error(`Waited ${withinMs} ms in vain: ${what}`)
    await sleep(25)
  }
}

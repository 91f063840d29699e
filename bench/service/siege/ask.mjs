import { basic } from '../startProcess.mjs'

/** No request of an attack is waited for longer than this. */
const patienceMs = 60_000

/** The status of an answer, or what went wrong before there was one. */
export const statusOf = (url, init) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) }).then(
    async (answer) => {
      await answer.arrayBuffer().catch(() => undefined)
      return String(answer.status)
    },
    (error) => (error.name === 'TimeoutError' ? 'no answer' : 'broken'),
  )

/** @param {string[]} all */
export const count = (all) => {
  const counts = {}
  for (const each of all) counts[each] = (counts[each] ?? 0) + 1
  return Object.entries(counts)
    .map(([what, times]) => (times === 1 ? what : `${times} × ${what}`))
    .join(', ')
}

export const ask = (url, statement, authorization = basic) =>
  statusOf(`${url}/query`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ statement }),
  })

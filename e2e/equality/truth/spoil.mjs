/** In which ways the truth can be made wrong, in one place, to see that the judge notices. */
export const spoilings = /** @type {const} */ (['leave-out', 'wrong-user'])

/** @typedef {typeof spoilings[number]} Spoiling */

/**
 * People who did, in one place, something else than what the browsers were told.
 * @param {import('../types').Person[]} people
 * @param {Spoiling} spoiling
 * @returns {import('../types').Person[]}
 */
export function spoil(people, spoiling) {
  const wrong = structuredClone(people)
  const calls = wrong
    // Who is never recorded cannot be recorded wrongly.
    .filter(({ devices }) => devices.every(({ consent, gpc }) => consent === 'granted' && !gpc))
    .flatMap(({ steps }) => steps.flatMap(({ deed }) => (deed.kind === 'call' ? [deed.calls] : [])))
  const wanted = spoiling === 'leave-out' ? 'track' : 'identify'
  const list = calls.find((made) => made.some(([name]) => name === wanted))
  const call = list?.find(([name]) => name === wanted)
  if (!call) throw new Error(`Nobody makes the call ${wanted}: take more people`)
  // In place, because the other calls keep their marks.
  if (spoiling === 'leave-out') call.splice(0, call.length, 'wait', 0)
  else call[1] = 'somebody else'
  return wrong
}

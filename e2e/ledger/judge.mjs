/** A share of few rounds is no number: two rounds of five events may always be among them. */
const leastAllowed = 10

/**
 * Copies that are let pass, because the engine leaves no choice.
 * @param {import('./runEngine.mjs').Entry} entry
 */
export function allowedTwice({ scenario, engine, account }) {
  const limit = scenario.engineLimit
  if (scenario.promise === 'same-id') return Infinity
  return limit?.engine === engine ? Math.max(leastAllowed, limit.twiceShare * account.events) : 0
}

/** @param {string[]} ids */
const some = (ids) => `${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', …' : ''}`

/**
 * What is wrong with an entry, in words; empty when it keeps the promise.
 * @param {import('./runEngine.mjs').Entry} entry
 * @returns {string[]}
 */
export function judge(entry) {
  const { account, missed, mayLose } = entry
  const { events, lost, lostIds, twiceIds, twiceRaw, twiceStored, mixedIds } = account
  const faults = [...missed]
  if (events === 0) faults.push('nothing was tracked')
  if (lost && !mayLose) faults.push(`${lost} lost: ${some(lostIds)}`)
  if (twiceStored) faults.push(`${twiceStored} stored twice`)
  if (mixedIds) faults.push(`${mixedIds} sent again with another insert id`)
  if (twiceRaw > allowedTwice(entry)) faults.push(`${twiceRaw} sent twice: ${some(twiceIds)}`)
  return faults
}

/**
 * What is wrong with an entry, in words; empty when it keeps the promise.
 * @param {import('./runEngine.mjs').Entry} entry
 * @returns {string[]}
 */
export function judge({ scenario, account, missed }) {
  const { events, lost, lostIds, twiceRaw, twiceStored, mixedIds } = account
  const faults = [...missed]
  if (events === 0) faults.push('nothing was tracked')
  if (lost) faults.push(`${lost} lost: ${lostIds.slice(0, 8).join(', ')}${lost > 8 ? ', …' : ''}`)
  if (twiceStored) faults.push(`${twiceStored} stored twice`)
  if (mixedIds) faults.push(`${mixedIds} sent again with another insert id`)
  if (twiceRaw && scenario.promise === 'once') faults.push(`${twiceRaw} sent twice`)
  return faults
}

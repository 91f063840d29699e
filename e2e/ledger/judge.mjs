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

/** What did not arrive as was promised. @param {import('./runEngine.mjs').Entry} entry @returns {string[]} */
function judgeAccount(entry) {
  const { lost, lostIds, twiceIds, twiceRaw, twiceStored, mixedIds } = entry.account
  const faults = []
  if (lost && !entry.mayLose) faults.push(`${lost} lost: ${some(lostIds)}`)
  if (twiceStored) faults.push(`${twiceStored} stored twice`)
  if (mixedIds) faults.push(`${mixedIds} sent again with another insert id`)
  if (twiceRaw > allowedTwice(entry)) faults.push(`${twiceRaw} sent twice: ${some(twiceIds)}`)
  return faults
}

/**
 * What is wrong with an entry, in words; empty when it keeps the promise.
 * @param {import('./runEngine.mjs').Entry} entry
 * @returns {string[]}
 */
export const judge = (entry) => [
  ...entry.broke.map((text) => `broke off: ${text}`),
  ...entry.missed,
  ...(entry.account.events === 0 ? ['nothing was tracked'] : []),
  ...judgeAccount(entry),
]

/** The verdict on all, in a sentence; empty when nothing is wrong. A scenario that broke off proves no loss. @param {import('./runEngine.mjs').Entry[]} entries */
export function tellVerdict(entries) {
  const wrong = entries.filter((entry) => judge(entry).length > 0)
  const broken = wrong.filter(({ broke }) => broke.length > 0)
  const rest = wrong.filter((entry) => !broken.includes(entry))
  const lost = rest.filter((entry) => judgeAccount(entry).length > 0)
  const missed = rest.filter((entry) => !lost.includes(entry))
  const said = /** @type {const} */ ([
    ['something was lost or sent twice', lost],
    ['a figure was missed', missed],
    ['the ledger itself broke off', broken],
  ])
  const nameOf = (/** @type {typeof wrong[number]} */ entry) =>
    `${entry.engine} ${entry.scenario.name} (${judge(entry)[0]})`
  return said
    .filter(([, found]) => found.length > 0)
    .map(([text, found]) => `${text}: ${found.map(nameOf).join(', ')}`)
    .join('; ')
}

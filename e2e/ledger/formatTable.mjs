import { judge } from './judge.mjs'

const head = [
  'scenario',
  'engine',
  'rounds',
  'events',
  'lost',
  'sent twice',
  'stored twice',
  'handed off',
  'requests',
  '',
]

/**
 * The table of a run, one line for each scenario and engine.
 * @param {import('./runEngine.mjs').Entry[]} entries
 * @returns {string}
 */
export function formatTable(entries) {
  const rows = entries.map((entry) => {
    const { scenario, engine, rounds, account, notes } = entry
    const faults = judge(entry)
    const { events, lost, twiceRaw, twiceStored, handedOver, requests } = account
    const { engineLimit, promise } = scenario
    const handed = scenario.leaves ? String(handedOver) : '-'
    const remarks = [...new Set(notes)].slice(0, 3)
    if (twiceRaw && engineLimit?.engine === engine && promise === 'once') remarks.unshift(engineLimit.why)
    if (faults.length) remarks.unshift(`FAILED: ${faults.join('; ')}`)
    const figures = [rounds, events, lost, twiceRaw, twiceStored, handed, requests].map(String)
    return [scenario.name, engine, ...figures, remarks.join('; ')]
  })
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const isText = (/** @type {number} */ column) => column < 2 || column === head.length - 1
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

import { peers, runnable } from '../peers.mjs'
import { kill, scenarioTitles, scenarios } from '../scenarios.mjs'
import { drawGrid } from './drawGrid.mjs'
import { escape } from './escape.mjs'
import { renderBehind } from './renderBehind.mjs'
import { renderTable } from './renderTable.mjs'

const order = Object.keys(scenarioTitles)
const namesOf = (/** @type {{ title: string }[]} */ list) => list.map(({ title }) => title).join(', ')

/** Where another library lost fewer, or sent fewer second copies while it lost no more. */
function sayAhead(
  /** @type {{ scenario: string, peers: Record<string, any> }} */ { scenario, peers: found },
) {
  const ours = found['waymark']
  const title = scenarioTitles[scenario]
  const better = runnable.filter(({ name }) => found[name].lost < ours.lost)
  const fewer = runnable.filter(({ name }) => found[name].lost <= ours.lost && found[name].twice < ours.twice)
  return [
    ...(better.length
      ? [`Lost, ${title}: ${namesOf(better)} lost fewer than the ${ours.lost} of waymark.`]
      : []),
    ...(fewer.length
      ? [`Twice, ${title}: ${namesOf(fewer)} sent fewer than the ${ours.twice} of waymark.`]
      : []),
  ]
}

/** What became of one library's events in one scenario. */
function renderCell(/** @type {any} */ { events, lost, twice, twiceOtherId }) {
  const other = twiceOtherId ? `, ${twiceOtherId} of them without the same id` : ''
  return `${lost} of ${events}${twice ? `<br><small>${twice} twice${other}</small>` : ''}`
}

/** Whether each library believed the answers that it got. @param {Record<string, any> | undefined} calm */
function sayBelieved(calm) {
  const doubted = runnable.filter(({ name }) => calm?.[name].lost || calm?.[name].twice || calm?.[name].note)
  if (doubted.length === 0)
    return 'In the first scenario nothing is lost, and nothing is sent again: all of them believe it.'
  return `In the first scenario ${namesOf(doubted)} lost events or sent them again, so their other figures may be wrong.`
}

/** @param {{ delivery: any[] }} results */
export function renderDelivery({ delivery }) {
  const sorted = delivery.toSorted((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario))
  const columns = sorted.map(({ scenario }) => scenarioTitles[scenario] ?? scenario)
  const grid = drawGrid({
    id: 'lost',
    title: 'Lost',
    about: 'The share of events that had not arrived after a later visit.',
    columns,
    rows: runnable.map(({ name, title }) => ({
      title,
      ours: name === 'waymark',
      shares: sorted.map(({ peers: found }) => found[name].lost / found[name].events),
    })),
  })
  const rows = runnable.map(({ name, title }) => ({
    title,
    ours: name === 'waymark',
    cells: sorted.map(({ peers: found }) => renderCell(found[name])),
  }))
  const abouts = [...scenarios, kill].map(
    ({ title, about }) => `<li><b>${escape(title)}</b>: ${escape(about)}</li>`,
  )
  const promises = peers.map(({ name, title, promise, doc }) => ({
    title,
    ours: name === 'waymark',
    cells: [escape(promise), escape(doc)],
  }))
  const loads = sorted.map(({ loadAverage }) => loadAverage)
  return `<h2 id="delivery">3. What arrives</h2>
${renderBehind(sorted.flatMap(sayAhead))}
<p>Each event carries an id, and is counted where it arrives. The stand-in for each service answers what that library takes for success. ${sayBelieved(sorted.find(({ scenario }) => scenario === 'calm')?.peers)} Load average of the machine: ${Math.min(...loads)} to ${Math.max(...loads)}.</p>
<ol>${abouts.join('')}</ol>
${grid}
${renderTable({
  id: 'delivery-table',
  caption:
    'Lost, and copies that reached the service beyond the first. A service can recognise a copy that has the same id.',
  heads: columns,
  rows,
})}
<h3>What each promises</h3>
${renderTable({ id: 'promises', isProse: true, caption: 'In our words, and where it was read.', heads: ['promise', 'read in'], rows: promises })}`
}

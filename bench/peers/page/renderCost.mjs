import { runnable } from '../peers.mjs'
import { costGroups, costMetrics } from './costMetrics.mjs'
import { drawBars } from './drawBars.mjs'
import { renderBehind, sayBehind } from './renderBehind.mjs'
import { renderTable } from './renderTable.mjs'
import { summariseCost } from './summarise.mjs'

/**
 * One figure of one library.
 * @param {{ figures: import('./summarise.mjs').Figure[], format: (value: number) => string }} metric
 * @param {string} name
 */
function renderCell({ figures, format }, name) {
  const one = figures.find(({ peer }) => peer === name)
  if (!one) return 'busy'
  const [least, most] = [format(one.least), format(one.most)]
  const spread = least === most ? '' : `<br><small>${least}–${most}</small>`
  return format(one.median) + spread
}

/** @param {{ cost: any[] }} results */
export function renderCost({ cost }) {
  const seconds = Math.min(...cost.map(({ gaveUpAfterMs }) => gaveUpAfterMs)) / 1000
  const all = costMetrics.map((metric) => ({ ...metric, ...summariseCost(cost, metric) }))
  const charts = all
    .filter(({ chart }) => chart)
    .map(({ id, title, about, figures, gaveUp, format }) => {
      const missing = gaveUp.length ? ` Still busy after ${seconds} s: ${gaveUp.join(', ')}.` : ''
      return drawBars({ id, title, about: about + missing, figures, format })
    })
  const tables = Object.entries(costGroups).map(([group, about]) => {
    const shown = all.filter((metric) => metric.group === group)
    const rows = runnable.map(({ name, title }) => ({
      title,
      ours: name === 'waymark',
      cells: shown.map((metric) => renderCell(metric, name)),
    }))
    const caption = `${about}: the median, and the least and the most.`
    return renderTable({ id: `${group}-table`, caption, heads: shown.map(({ short }) => short), rows })
  })
  const loads = cost.map(({ loadAverage }) => loadAverage).join(', ')
  return `<h2 id="cost">2. What it costs the page</h2>
${renderBehind(all.flatMap(({ title, figures, format }) => sayBehind(title, figures, format)))}
<p>Medians of ${cost.length} interleaved rounds, each library in a browser of its own; a line shows the least and the most. Load average of the machine at the end of each round: ${loads}. Only ratios within this page mean something.</p>
<div class="charts">${charts.join('')}</div>
${tables.join('\n')}
<p class="caption">“Busy”: in at least one round the page had not come to rest after ${seconds} s, and was given up.</p>`
}

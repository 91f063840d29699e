import { runnable } from '../peers.mjs'
import { costMetrics } from './costMetrics.mjs'
import { drawBars } from './drawBars.mjs'
import { renderBehind, sayBehind } from './renderBehind.mjs'
import { renderTable } from './renderTable.mjs'
import { summariseCost } from './summarise.mjs'

/** @param {{ cost: any[] }} results */
export function renderCost({ cost }) {
  const all = costMetrics.map((metric) => ({ ...metric, ...summariseCost(cost, metric) }))
  const charts = all
    .filter(({ chart }) => chart)
    .map(({ id, title, about, figures, gaveUp, format }) => {
      const missing = gaveUp.length ? ` Still busy after 8 s: ${gaveUp.join(', ')}.` : ''
      return drawBars({ id, title, about: about + missing, figures, format })
    })
  const rows = runnable.map(({ name, title }) => ({
    title,
    ours: name === 'waymark',
    cells: all.map(({ figures, format }) => {
      const one = figures.find(({ peer }) => peer === name)
      if (!one) return 'busy &gt; 8 s'
      const [least, most] = [format(one.least), format(one.most)]
      const spread = least === most ? '' : `<br><small>${least}–${most}</small>`
      return format(one.median) + spread
    }),
  }))
  const loads = cost.map(({ loadAverage }) => loadAverage).join(', ')
  return `<h2 id="cost">2. What it costs the page</h2>
${renderBehind(all.flatMap(({ title, figures, format }) => sayBehind(title, figures, format)))}
<p>Medians of ${cost.length} interleaved rounds, each library in a browser of its own; a line shows the least and the most. Load average of the machine at the end of each round: ${loads}. Only ratios within this page mean something.</p>
<div class="charts">${charts.join('')}</div>
${renderTable({
  caption:
    'All figures of this section: the median, and the least and the most. “Busy > 8 s”: the page had not come to rest after that time in at least one round, and was given up.',
  heads: all.map(({ short }) => short),
  rows,
})}`
}

import { readFileSync } from 'node:fs'
import { peers } from '../peers.mjs'
import { drawBars } from './drawBars.mjs'
import { escape } from './escape.mjs'
import { renderBytes } from './renderBytes.mjs'
import { renderCost } from './renderCost.mjs'
import { renderFirst } from './renderFirst.mjs'
import { renderDelivery } from './renderDelivery.mjs'
import { renderTable } from './renderTable.mjs'
import { summariseService } from './summarise.mjs'

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8')

function renderService(/** @type {{ service: any[] }} */ { service: rounds }) {
  const figures = summariseService(rounds)
  const [ours, bare] = figures
  const format = (/** @type {number} */ value) => `${Math.round(value)}/s`
  const loads = rounds.map(({ loadAverage }) => loadAverage).join(', ')
  const share = Math.round((100 * (ours?.median ?? 0)) / (bare?.median ?? 1))
  return `<h2 id="service">4. The service</h2>
<p class="behind">waymark-server takes ${share} % of the requests a second of a handler that parses the same JSON and keeps nothing; before it answers, it has written the events to disk. The peers’ services cannot run on this machine, so none is compared.</p>
<div class="charts">${drawBars({ id: 'service-rate', title: 'Requests a second', about: `${rounds[0].perRequest} events each, ${rounds[0].connections} connections, ${rounds.length} interleaved rounds (load average of the machine ${loads}); more is better.`, figures, format })}</div>`
}

/** The page, of nothing but the results. @param {any} results */
export function renderPage(results) {
  const { at, machine, versions } = results
  const rows = peers.map(({ name, title, package: from, settings, onlyBytes }) => ({
    title,
    ours: name === 'waymark',
    cells: [
      escape(from),
      escape(versions[from]),
      escape(onlyBytes ? `only its bytes: ${onlyBytes}` : settings),
    ],
  }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>waymark and its peers</title>
<link rel="icon" href="data:,">
<style>
${style}</style>
</head>
<body>
<main>
<h1>waymark and its peers</h1>
<p>What nine other libraries cost a page and deliver, measured in the same way, on the same machine, in the same browser. <code>npm run bench:peers</code> in a clone measures all of it again; the figures of this page are in <code>bench/peers/results.json</code>. Last run ${escape(at.replace('T', ' '))} UTC: Chromium ${escape(machine.chromium)}, Node ${escape(machine.node)}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${escape(machine.platform)}.</p>
<p>In every chart but the last less is better.</p>
${renderTable({ id: 'versions', isProse: true, caption: 'Versions, and where the settings differ from the defaults. What captures by itself is turned off, so that all do the same work.', heads: ['package', 'version', 'settings'], rows })}
${renderBytes(results)}
${renderCost(results)}
${renderFirst(results)}
${renderDelivery(results)}
${renderService(results)}
<h2 id="limits">What this does not show</h2>
<ul>
<li>What the peers load at run time from their own hosts: the page has no network but the stand-in.</li>
<li>Bursts of hundreds of events are a load, not the life of a page; they show what a call costs and how a queue grows.</li>
<li>Few rounds: a difference that is smaller than the spread is none.</li>
<li>Other browsers: all of this is Chromium. waymark’s own delivery is checked in Firefox and WebKit as well (<code>npm run ledger</code>).</li>
</ul>
</main>
</body>
</html>
`
}

import { readFileSync } from 'node:fs'
import { peers, runnable } from '../peers.mjs'
import { scenarioTitles } from '../scenarios.mjs'
import { costMetrics } from './costMetrics.mjs'
import { drawBars } from './drawBars.mjs'
import { drawGrid } from './drawGrid.mjs'
import { escape } from './escape.mjs'
import { aheadOfWaymark, summariseBytes, summariseCost, summariseService } from './summarise.mjs'
import { renderTable } from './renderTable.mjs'

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8')
const kb = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`

/** The sentence at the top of a section: where waymark is not first in it. */
function renderBehind(/** @type {string[]} */ lines) {
  if (lines.length === 0) return '<p class="behind">waymark is first, or shares the first place, in all of this section.</p>'
  return `<div class="behind"><b>Where waymark is not first:</b><ul>${lines.map((line) => `<li>${escape(line)}</li>`).join('')}</ul></div>`
}

/**
 * @param {string} what
 * @param {import('./summarise.mjs').Figure[]} figures
 * @param {(value: number) => string} format
 */
function behind(what, figures, format) {
  const ahead = aheadOfWaymark(figures)
  const ours = figures.find(({ peer }) => peer === 'waymark')
  // What is printed alike is alike.
  const shown = ahead.filter((one) => format(one.median) !== format(ours?.median ?? 0))
  if (!ours || shown.length === 0) return []
  return [
    `${what}: ${shown.map((one) => `${one.title} ${format(one.median)}`).join(', ')}; waymark ${format(ours.median)}`,
  ]
}

function renderBytes(/** @type {any} */ bytes) {
  const bundle = summariseBytes(bytes, 'bundle')
  const tag = summariseBytes(bytes, 'tag')
  const of = (/** @type {string} */ name, /** @type {string} */ kind) =>
    bytes[name]?.[kind]?.brotli ? kb(bytes[name][kind].brotli) : '—'
  const rows = peers.map(({ name, title }) => ({
    title,
    ours: name === 'waymark',
    cells: [of(name, 'bundle'), kb(bytes[name].bundle.minified), of(name, 'lean'), of(name, 'tag'), of(name, 'later')],
  }))
  return `<h2 id="bytes">1. Bytes on the wire</h2>
${renderBehind([...behind('Bundled', bundle, kb), ...behind('Script tag', tag, kb)])}
<p>Plausible has no identify() and no queue. Vercel’s package is a loader: the script that sends comes from the host at run time, is not in the package, and is not counted.</p>
<div class="charts">${drawBars({ id: 'bundle', title: 'Bundled: import, init, track, identify', about: 'Minified by esbuild, brotli.', figures: bundle, format: kb })}${drawBars({ id: 'tag', title: 'The script-tag file in the package', about: 'As it is shipped, brotli. RudderStack, Plausible and Vercel ship none.', figures: tag, format: kb })}</div>
${renderTable({
  caption: 'Brotli, except for the second column. “Smaller entry” is a file of the package that leaves parts out; “loaded later” are the modules that the library imports at run time.',
  heads: ['bundled', 'minified only', 'smaller entry', 'script tag', 'loaded later'],
  rows,
})}`
}

function renderCost(/** @type {any[]} */ rounds) {
  const all = costMetrics.map((metric) => ({ ...metric, ...summariseCost(rounds, metric) }))
  const charts = all
    .filter(({ chart }) => chart)
    .map(({ id, title, about, figures, gaveUp, format }) => {
      const missing = gaveUp.length ? ` Did not come to its end in 12 s: ${gaveUp.join(', ')}.` : ''
      return drawBars({ id, title, about: about + missing, figures, format })
    })
  const rows = runnable.map(({ name, title }) => ({
    title,
    ours: name === 'waymark',
    cells: all.map(({ figures, format }) => {
      const one = figures.find(({ peer }) => peer === name)
      if (!one) return 'gave up'
      return one.least === one.most
        ? format(one.median)
        : `${format(one.median)} <small>${format(one.least)}–${format(one.most)}</small>`
    }),
  }))
  return `<h2 id="cost">2. What it costs the page</h2>
${renderBehind(all.flatMap(({ title, figures, format }) => behind(title, figures, format)))}
<p>Medians of ${rounds.length} interleaved rounds, each in a browser of its own; a line shows the least and the most. The machine’s load average at the ends of the rounds: ${rounds.map(({ loadAverage }) => loadAverage).join(', ')}. Only ratios within this page mean something.</p>
<div class="charts">${charts.join('')}</div>
${renderTable({ caption: 'All figures of this section: the median, and the least and the most.', heads: all.map(({ short }) => short), rows })}`
}

function renderDelivery(/** @type {any[]} */ delivery) {
  const lossOf = (/** @type {any} */ { peers: found }, /** @type {string} */ name) => found[name].lost / found[name].events
  const lines = delivery.flatMap(({ scenario, peers: found }) => {
    const title = scenarioTitles[scenario]
    const better = runnable.filter(({ name }) => found[name].lost < found.waymark.lost)
    const fewer = runnable.filter(
      ({ name }) => found[name].lost <= found.waymark.lost && found[name].twice < found.waymark.twice,
    )
    const names = (/** @type {{ title: string }[]} */ list) => list.map((peer) => peer.title).join(', ')
    return [
      ...(better.length ? [`Lost, ${title}: ${names(better)} lost fewer than waymark’s ${found.waymark.lost}`] : []),
      ...(fewer.length
        ? [`Twice, ${title}: ${names(fewer)} sent fewer second copies than waymark’s ${found.waymark.twice}`]
        : []),
    ]
  })
  const rows = runnable.map(({ name, title }) => ({
    title,
    ours: name === 'waymark',
    cells: delivery.map(({ peers: found }) => {
      const { events, lost, twice, twiceOtherId } = found[name]
      const other = twiceOtherId ? `, ${twiceOtherId} of them without the same id` : ''
      return `${lost} of ${events}${twice ? `<br><small>${twice} twice${other}</small>` : ''}`
    }),
  }))
  return `<h2 id="delivery">3. What arrives</h2>
${renderBehind(lines)}
<p>Each event carries an id, and is counted where it arrives. The stand-in for each service answers what that library takes for success: in the first scenario nothing is lost, and nothing is sent again.</p>
${drawGrid({
  id: 'lost',
  title: 'Lost',
  about: 'The share of events that had not arrived after a later visit.',
  columns: delivery.map(({ scenario }) => scenarioTitles[scenario]),
  rows: runnable.map(({ name, title }) => ({
    title,
    ours: name === 'waymark',
    shares: delivery.map((one) => lossOf(one, name)),
  })),
})}
${renderTable({
  caption: 'Lost, and copies that reached the service beyond the first. A copy with the same id can be recognised by the service.',
  heads: delivery.map(({ scenario }) => scenarioTitles[scenario]),
  rows,
})}
<h3>What each promises</h3>
${renderTable({
  caption: 'In our words, with where it was read.',
  heads: ['promise', 'read in'],
  rows: peers.map(({ name, title, promise, doc }) => ({
    title,
    ours: name === 'waymark',
    cells: [escape(promise), escape(doc)],
  })),
})}`
}

function renderService(/** @type {any[]} */ rounds) {
  const figures = summariseService(rounds)
  const [ours, bare] = figures
  const format = (/** @type {number} */ value) => `${Math.round(value)}/s`
  const share = Math.round((100 * (ours?.median ?? 0)) / (bare?.median ?? 1))
  return `<h2 id="service">4. The service</h2>
<p class="behind">waymark-server takes ${share} % of the requests a second of a handler that parses the same JSON and keeps nothing; before it answers, it has written the events to disk. The peers’ services cannot run on this machine, so none is compared.</p>
<div class="charts">${drawBars({ id: 'service-rate', title: 'Requests a second', about: `${rounds[0].perRequest} events each, ${rounds[0].connections} connections, ${rounds.length} interleaved rounds; more is better.`, figures, format })}</div>`
}

/** The page, of nothing but the results. @param {any} results */
export function renderPage({ at, machine, versions, bytes, cost, delivery, service }) {
  const rows = peers.map(({ name, title, package: from, settings, onlyBytes }) => ({
    title,
    ours: name === 'waymark',
    cells: [escape(from), escape(versions[from]), escape(onlyBytes ? `only its bytes: ${onlyBytes}` : settings)],
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
${renderTable({ caption: 'Versions, and where the settings differ from the defaults. What captures by itself is turned off, so that all do the same work.', heads: ['package', 'version', 'settings'], rows })}
${renderBytes(bytes)}
${renderCost(cost)}
${renderDelivery(delivery)}
${renderService(service)}
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

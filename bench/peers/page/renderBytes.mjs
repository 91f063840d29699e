import { peers } from '../peers.mjs'
import { drawBars } from './drawBars.mjs'
import { escape } from './escape.mjs'
import { renderBehind, sayBehind } from './renderBehind.mjs'
import { renderTable } from './renderTable.mjs'
import { summariseBytes, summariseCost } from './summarise.mjs'

const kb = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`

const mb = (/** @type {number | undefined} */ bytes) => (bytes ? `${(bytes / 1e6).toFixed(1)} MB` : '—')

/** @param {{ bytes: Record<string, any>, fetches: Record<string, string[]>, cost: any[], first: any }} results */
export function renderBytes({ bytes, fetches, cost, first }) {
  const { figures: heaps } = summariseCost(cost, { read: (one) => one.heapBytes, over: true })
  const bundle = summariseBytes(bytes, 'bundle')
  const tag = summariseBytes(bytes, 'tag')
  const of = (/** @type {string} */ name, /** @type {string} */ kind) =>
    bytes[name]?.[kind]?.brotli ? kb(bytes[name][kind].brotli) : '—'
  const rows = peers.map(({ name, title }) => ({
    title,
    ours: name === 'waymark',
    cells: [
      of(name, 'bundle'),
      kb(bytes[name].bundle.minified),
      of(name, 'lean'),
      of(name, 'tag'),
      bytes[name].tag ? kb(bytes[name].tag.minified) : '—',
      of(name, 'later'),
      mb(heaps.find(({ peer }) => peer === name)?.median),
      String(first.requests[name] ?? '—'),
      fetches[name]?.map((url) => `<code>${escape(url)}</code>`).join('<br>') || 'nothing but events',
    ],
  }))
  const charts = [
    drawBars({
      id: 'bundle',
      title: 'Bundled: import, init, track, identify',
      about: 'Minified by esbuild, brotli.',
      figures: bundle,
      format: kb,
    }),
    drawBars({
      id: 'tag',
      title: 'The script-tag file in the package',
      about: 'As it is shipped, brotli. RudderStack, Plausible and Vercel ship none.',
      figures: tag,
      format: kb,
    }),
  ]
  const table = renderTable({
    id: 'bytes-table',
    caption:
      'Brotli, but where a column says “decoded”, which is what the browser has to read. “Smaller entry” is a file of the package that leaves parts out; “loaded later” are modules that the library imports at run time; “heap” is what init() leaves in it after a collection; “requests” are those until the first event is at the service, with the script and the preflights, under the settings of this comparison; the last column is what a bundle asks for at once when it is started by its defaults (there is no network: what an answer would make it ask for next is not seen).',
    heads: [
      'bundled',
      'decoded',
      'smaller entry',
      'script tag',
      'decoded',
      'loaded later',
      'heap',
      'requests',
      'asks for at its start',
    ],
    rows,
  })
  return `<h2 id="bytes">1. Bytes on the wire</h2>
${renderBehind([...sayBehind('Bundled', bundle, kb), ...sayBehind('Script tag', tag, kb)])}
<p>Plausible’s tracker has no identify() and no queue. Vercel’s package is a loader: the script that sends comes from the host at run time, is not in the package, and is not counted.</p>
<div class="charts">${charts.join('')}</div>
${table}`
}

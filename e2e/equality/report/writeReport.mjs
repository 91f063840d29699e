import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describePerson } from './describeStep.mjs'

const css = readFileSync(new URL('report.css', import.meta.url), 'utf8')
/** A page of thousands of differences says no more than one of some. */
const mostRows = 20

/**
 * @typedef {object} Run
 * @property {string} engine
 * @property {number} seed
 * @property {string | undefined} broken in which way the truth was spoilt
 * @property {import('../types').Person[]} people
 * @property {Record<string, number>} requests by device
 * @property {import('../types').Verdict[]} verdicts
 * @property {{ name: string, by: 'SQL' | 'screen', differences: number }[]} seenToFail for each way to spoil the truth
 * @property {string[]} problems beside the differences
 * @property {number} differences
 */

/** @param {unknown} value */
const escape = (value) =>
  String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @param {string} title @param {string[]} rows */
const toList = (title, rows) =>
  rows.length
    ? `<p>${title}</p><pre>${escape(rows.slice(0, mostRows).join('\n'))}${rows.length > mostRows ? '\n…' : ''}</pre>`
    : ''

/** @param {Run['seenToFail'][number]} seen */
export const describeSeen = ({ name, by, differences }) => `${name} (${by}) ${differences}`

/** @param {import('../types').Verdict} verdict */
function toQuestion({ by, name, about, source, rows, missing, extra }) {
  const difference = Math.max(missing.length, extra.length)
  const title = by === 'SQL' ? 'SQL' : 'Address'
  return `<tr><th scope="row">${escape(name)}</th>
    <td class="wide">${escape(about)}<details><summary class="quiet">${title}</summary><pre>${escape(source)}</pre></details>
    ${toList('The truth has, and the service does not:', missing)}
    ${toList('The service has, and the truth does not:', extra)}</td>
    <td class="number" data-unit="rows">${rows}</td>
    <td class="number ${difference ? 'bad' : 'good'}" data-unit="different">${difference}</td></tr>`
}

/** @param {import('../types').Verdict[]} verdicts */
const toTable = (verdicts) =>
  `<div class="scroll"><table><thead><tr><th>Question</th><th>What is compared</th><th class="number">Rows</th>
<th class="number">Difference</th></tr></thead><tbody>${verdicts.map(toQuestion).join('')}</tbody></table></div>`

/** @param {import('../types').Person} person @param {Record<string, number>} requests */
function toPerson(person, requests) {
  const { id, story, about, devices } = person
  const passed = devices.map((device) => `${device.id.split('/')[1]} ${requests[device.id] ?? 0}`)
  return `<tr><th scope="row">${id}</th><td class="wide">${escape(story)}<div class="quiet">${escape(about)}</div></td>
    <td class="wide">${escape(describePerson(person))}</td><td data-unit="requests">${passed.join('<br>')}</td></tr>`
}

/** @param {Run} run */
function toHtml({ engine, seed, broken, people, requests, verdicts, seenToFail, problems, differences }) {
  const asked = (/** @type {'SQL' | 'screen'} */ by) =>
    toTable(verdicts.filter((verdict) => verdict.by === by))
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Equality: difference ${differences}</title><style>${css}</style></head><body>
<h1>Difference <span class="${differences ? 'bad' : 'good'}">${differences}</span></h1>
<p>${people.length} people in ${escape(engine)}, seed ${seed}. What they did is known to the script that drove the
browsers; what the service answers in SQL and what its screens show is compared with it.</p>
${broken ? `<p class="bad">The truth was spoilt on purpose: ${broken}.</p>` : ''}
${problems.map((text) => `<p class="bad">${escape(text)}</p>`).join('')}
<p class="quiet">Differences found when the truth was spoilt in one place: ${seenToFail.map(describeSeen).join(', ')}.</p>
<h2>In SQL</h2>${asked('SQL')}
<h2>On the screens</h2>${asked('screen')}
<h2>People</h2><details${people.length > 40 ? '' : ' open'}><summary>What each of the ${people.length} did</summary>
<div class="scroll"><table><thead><tr><th>Person</th><th>Story</th><th>What they did</th>
<th>Requests</th></tr></thead><tbody>${people.map((person) => toPerson(person, requests)).join('')}</tbody></table></div></details>
</body></html>`
}

/**
 * Writes the counts as JSON, and beside it the page of the run; gives the path of the page.
 * @param {string} path of the JSON
 * @param {Run} run
 */
export function writeReport(path, run) {
  const { engine, seed, people, requests, verdicts, seenToFail, problems, differences } = run
  const wrong = verdicts.filter(({ missing, extra }) => missing.length + extra.length > 0)
  const failed = wrong.length + problems.length
  const counts = { passed: verdicts.length - wrong.length, failed, differences, engine, seed }
  // For `npm test`; empty when nothing is wrong.
  const verdict = [
    ...(differences ? ['the service answers something else than what people did: see above'] : []),
    ...problems,
  ].join('; ')
  const page = path.replace(/(\.json)?$/, '.html')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    JSON.stringify(
      { ...counts, verdict, people: people.length, requests, seenToFail, problems, verdicts },
      null,
      2,
    ),
  )
  writeFileSync(page, toHtml(run))
  return { page, failed }
}

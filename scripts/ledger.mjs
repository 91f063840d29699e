import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { engineNames, findEngine } from '../e2e/ledger/engines/findEngines.mjs'
import { formatTable } from '../e2e/ledger/formatTable.mjs'
import { judge, tellVerdict } from '../e2e/ledger/judge.mjs'
import { runEngine } from '../e2e/ledger/runEngine.mjs'
import { scenarios } from '../e2e/ledger/scenarios/listScenarios.mjs'
import { createPageServer } from '../e2e/ledger/serve/createPageServer.mjs'
import { startService } from '../e2e/ledger/serve/startService.mjs'
import { ensureBuilt } from './setup.mjs'

const inRepository = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const usage = `Proves delivery: real browsers, a fault-playing proxy, and what the service stored.

  npm run ledger -- [--rounds N] [--engine chromium,firefox,webkit|all] [--scenario name,…] [--fast]

  --rounds N     rounds of the scenarios that leave a page; the slow ones run a part of it (default 200),
                 and one that is named by --scenario runs all
  --engine E     default all
  --scenario S   one or more of: ${scenarios.map(({ name }) => name).join(' ')}
  --fast         a few rounds of each, for npm test
  --library FILE another script-tag build     --service FILE another launcher of the service
  --consent C    of all pages (default granted); with anonymous they store nothing, and what is lost fails nothing
  --report FILE  write the counts there, as JSON
  --keep         leave the profiles and the service's data where they are`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    engine: { type: 'string', default: 'all' },
    scenario: { type: 'string' },
    library: { type: 'string', default: inRepository('dist/waymark.iife.js') },
    service: { type: 'string', default: inRepository('server/bin/waymark-server.mjs') },
    fast: { type: 'boolean', default: false },
    consent: { type: 'string', default: 'granted' },
    report: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** @param {string} text @returns {never} */
function refuse(text) {
  console.error(`${text}\n\n${usage}`)
  process.exit(2)
}

if (values.help) {
  console.log(usage)
  process.exit(0)
}
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1)
  refuse(`--rounds takes a whole number from 1, not ${values.rounds}`)
const asked = values.engine === 'all' ? engineNames : values.engine.split(',')
const wanted = engineNames.filter((name) => asked.includes(name))
if (wanted.length < asked.length)
  refuse(`--engine takes all or some of ${engineNames.join(',')}, not ${values.engine}`)
if (!['granted', 'anonymous'].includes(values.consent))
  refuse(`--consent takes granted or anonymous, not ${values.consent}`)
const names = values.scenario?.split(',')
for (const name of names ?? []) {
  if (!scenarios.some((scenario) => scenario.name === name)) refuse(`There is no scenario ${name}`)
}
const chosen = names ? scenarios.filter(({ name }) => names.includes(name)) : scenarios

const startedAt = Date.now()
const progress = (/** @type {string} */ text) =>
  console.log(`${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s  ${text}`)
const keyOf = (/** @type {string} */ engine, /** @type {string} */ scenario) => `ledger-${engine}-${scenario}`
const folder = mkdtempSync(join(tmpdir(), 'waymark-ledger-'))
const apiKeys = wanted.flatMap((engine) => chosen.map(({ name }) => keyOf(engine, name)))

await ensureBuilt()
const service = await startService({ launcher: values.service, data: join(folder, 'service'), apiKeys })
const pages = await createPageServer(values.library)
/** @type {Map<string, import('../e2e/ledger/runEngine.mjs').Entry[]>} */
const entriesOf = new Map()
/** @type {string[]} */
const absent = []
/** @type {Map<string, string[]>} */
const acting = new Map()
process.on('unhandledRejection', (error) => {
  const text = `nobody awaited ${error instanceof Error ? error.stack : String(error)}`
  console.error(`The ledger broke (${[...acting.keys()].join(', ') || 'between scenarios'}): ${text}`)
  if (acting.size === 0) process.exit(1)
  for (const broke of acting.values()) broke.push(text)
})

/** @param {string} name of an engine */
async function runAll(name) {
  const engine = findEngine(name)
  if (typeof engine === 'string') {
    progress(engine)
    absent.push(engine)
    return
  }
  progress(`${name} ${engine.version}`)
  const played = await runEngine({
    engine,
    scenarios: chosen.filter(({ engines }) => engines?.includes(name) ?? true),
    roundsOf: ({ oneIn, fastRounds }) =>
      values.fast ? fastRounds : names ? rounds : Math.max(1, Math.ceil(rounds / oneIn)),
    fast: values.fast,
    pages,
    service,
    keyOf: (scenario) => keyOf(name, scenario),
    folder,
    progress,
    consent: values.consent,
    acting,
  })
  entriesOf.set(name, played)
  await engine.dispose()
}

// Most of a fast run is waiting: two engines wait together. A long run measures, so it has the machine for one.
const next = wanted.values()
const inTurn = async () => {
  for (const name of next) await runAll(name)
}
await Promise.all(values.fast ? [inTurn(), inTurn()] : [inTurn()])
const entries = wanted.flatMap((name) => entriesOf.get(name) ?? [])
await pages.close()
await service.stop()
if (!values.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

const failed = entries.filter((entry) => judge(entry).length > 0)
console.log(`\n${formatTable(entries)}\n`)
for (const text of absent) console.log(`Not run: ${text}`)
if (values.report) {
  const failures = failed.map((entry) => ({
    file: `${entry.engine} ledger`,
    test: entry.scenario.name,
    message: judge(entry)[0],
  }))
  const counts = { passed: entries.length - failed.length, failed: failed.length, absent: absent.length }
  writeFileSync(values.report, JSON.stringify({ ...counts, failures, verdict: tellVerdict(entries) }))
}
console.log(`${entries.length - failed.length} passed, ${failed.length} failed`)
// An engine asked for by name and not there is a failure, not a pass with nothing in it.
process.exit(failed.length || entries.length === 0 ? 1 : 0)

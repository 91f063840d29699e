import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findWrongDoors } from '../e2e/equality/judge/findWrongDoors.mjs'
import { saveGoals } from '../e2e/equality/judge/goals.mjs'
import { askScreens } from '../e2e/equality/judge/askScreens.mjs'
import { askSql, countDifferences, judge } from '../e2e/equality/judge/judge.mjs'
import { planPeople } from '../e2e/equality/people/planPeople.mjs'
import { describeSeen, writeReport } from '../e2e/equality/report/writeReport.mjs'
import { readLibrary } from '../e2e/equality/run/createDoor.mjs'
import { StorageLost } from '../e2e/equality/run/livePerson.mjs'
import { runPeople } from '../e2e/equality/run/runPeople.mjs'
import { serveNews } from '../e2e/equality/run/serveNews.mjs'
import { spoil, spoilings } from '../e2e/equality/truth/spoil.mjs'
import { tellTruth } from '../e2e/equality/truth/tellTruth.mjs'
import { engineNames, findEngine } from '../e2e/ledger/engines/findEngines.mjs'
import { startService } from '../e2e/ledger/serve/startService.mjs'
import { ensureBuilt } from './setup.mjs'

const inRepository = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const apiKey = 'equality'

const usage = `Compares what the service answers with what people did, in real browsers.

  npm run equality -- [--people N] [--engine chromium|firefox|webkit] [--seed S] [--break leave-out|wrong-user]

  --people N    how many (default 20)
  --engine E    default chromium
  --seed S      the same people again (default: another seed each time, which is printed)
  --at-once N   how many people live at the same time (default 5; webkit: 1)
  --break B     spoils the truth in one place: must end with a difference
  --report F    where the counts go, as JSON; the page of the run is written beside it (default .cache/reports/equality.json)`

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '20' },
    engine: { type: 'string', default: 'chromium' },
    seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 999_999)) },
    'at-once': { type: 'string' },
    break: { type: 'string' },
    report: { type: 'string', default: inRepository('.cache/reports/equality.json') },
    help: { type: 'boolean', default: false },
  },
})

/** @param {string} text @returns {never} */
function refuse(text) {
  console.error(`${text}\n\n${usage}`)
  process.exit(2)
}

/** @param {string} name @param {string} text */
function readWhole(name, text) {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) refuse(`--${name} takes a whole number from 1, not ${text}`)
  return number
}

if (values.help) {
  console.log(usage)
  process.exit(0)
}
const count = readWhole('people', values.people)
const seed = readWhole('seed', values.seed)
const engineName = engineNames.find((name) => name === values.engine)
if (!engineName) refuse(`There is no engine ${values.engine}`)
// The driver of WebKit has one current window, which everybody would wait for.
const atOnce = readWhole('at-once', values['at-once'] ?? (engineName === 'webkit' ? '1' : '5'))
const broken = spoilings.find((name) => name === values.break)
if (values.break && !broken) refuse(`--break takes ${spoilings.join(' or ')}, not ${values.break}`)

const startedAt = Date.now()
const progress = (/** @type {string} */ text) =>
  console.log(`${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s  ${text}`)

/** People live in browsers, and the service is asked. */
async function run(/** @type {import('../e2e/ledger/engines/types').Engine} */ engine) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-equality-'))
  const profileOf = (/** @type {string} */ name) => {
    const profile = join(folder, name.replaceAll('/', '-'))
    mkdirSync(profile, { recursive: true })
    // No page has a name that needs the proxy.
    return { profile, proxyPort: 9 }
  }
  const launcher = inRepository('server/bin/waymark-server.mjs')
  const service = await startService({ launcher, data: join(folder, 'service'), apiKeys: [apiKey] })
  const news = await serveNews()
  const session = await engine.launch(profileOf('shared'))
  try {
    const requests = await runPeople({
      people,
      world: {
        engine,
        session,
        launchOptions: profileOf,
        serviceUrl: service.url,
        apiKey,
        newsUrl: news.url,
        library: readLibrary(),
      },
      atOnce,
      query: service.query,
      progress,
    })
    progress('everybody is done; the service is asked in SQL')
    await saveGoals(service.save)
    const answers = await askSql(service.query)
    progress('and the screens are read')
    answers.push(...(await askScreens({ session, service })))
    progress('all is asked')
    return { requests, answers }
  } finally {
    await session.close()
    await news.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 })
  }
}

await ensureBuilt()
const engine = findEngine(engineName)
if (typeof engine === 'string') refuse(engine)
progress(`${engine.name} ${engine.version}, ${count} people, seed ${seed}`)
// Under its driver WebKit keeps its storage in memory alone.
const people = planPeople({ count, seed, canKill: engine.name !== 'webkit' })

let result
for (let tries = 3; !result; tries--) {
  try {
    result = await run(engine)
  } catch (error) {
    if (!(error instanceof StorageLost) || tries === 1) throw error
    progress('the browser lost all that it had stored (docs/delivery.md): the same people once more')
  }
}
await engine.dispose()

const { answers, requests } = result
const truth = tellTruth(people)
const verdicts = judge(answers, broken ? tellTruth(spoil(people, broken)) : truth)
const differences = countDifferences(verdicts)
// A judge that finds nothing must be seen to find something: in SQL, and on the screens.
const seenToFail = spoilings.flatMap((name) => {
  const wrong = judge(answers, tellTruth(spoil(people, name)))
  return /** @type {const} */ (['SQL', 'screen']).map((by) => ({
    name,
    by,
    differences: countDifferences(wrong.filter((verdict) => verdict.by === by)),
  }))
})
const problems = [
  ...findWrongDoors(truth, requests),
  ...seenToFail
    .filter((seen) => !seen.differences)
    .map(({ name, by }) => `The judge did not notice ${name} (${by}).`),
]

for (const { by, name, rows, missing, extra } of verdicts) {
  const difference = Math.max(missing.length, extra.length)
  console.log(`${by.padEnd(6)} ${name.padEnd(32)} ${String(rows).padStart(5)} rows, difference ${difference}`)
  for (const row of missing.slice(0, 8)) console.log(`    the truth has    ${row}`)
  for (const row of extra.slice(0, 8)) console.log(`    the service has  ${row}`)
}
for (const text of problems) console.log(text)
const { page, failed } = writeReport(values.report, {
  engine: `${engine.name} ${engine.version}`,
  seed,
  broken,
  people,
  requests,
  verdicts,
  seenToFail,
  problems,
  differences,
})
console.log(`Seen to fail: ${seenToFail.map(describeSeen).join(', ')}`)
console.log(`The page of this run: ${page}`)
console.log(`${count} people, ${truth.events.length} events, seed ${seed}: difference ${differences}`)
process.exit(failed ? 1 : 0)

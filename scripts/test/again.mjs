// Runs a step of tests again and again, each time in a fresh folder, under another load, in another order, at another
// time of the day: what fails now and then fails here.
//   npm run test:again -- --runs 10 --beside 0,4 --shuffle
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { ensureInstalled } from '../setup.mjs'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'
import { clockNames, setClock } from './setClock.mjs'
import { readFailures } from './readFailures.mjs'
import { startLoad } from './startLoad.mjs'

const usage = `npm run test:again: runs tests again and again, and tells each that ever failed, how often, and under what.
  --runs N           how often (default 10)
  --step NAME        unit (the default), long, cluster, e2e, engines, fixtures, ledger, equality, …
  --files A,B        only these test files; their step is known by their names
  --beside 0,4,16    beside so many busy loops (default 0)
  --disk             beside a program that keeps the disk busy
  --shuffle          files and tests in another order each time, by a seed that is printed; the journeys, whose
                     runner has no such order, each in the next free worker
  --seed N           the first of the seeds
  --workers 1,2,8    so many at a time (default: as the step has it)
  --clock NAMES      ${clockNames.join(', ')} (default now)
Of lists every combination has its turn.`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    runs: { type: 'string', default: '10' },
    step: { type: 'string' },
    files: { type: 'string', default: '' },
    beside: { type: 'string', default: '0' },
    disk: { type: 'boolean', default: false },
    shuffle: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    workers: { type: 'string', default: '' },
    clock: { type: 'string', default: 'now' },
  },
})

/** @param {string} file */
const stepOf = (file) =>
  file.endsWith('.spec.ts')
    ? file.includes('.long.')
      ? 'engines'
      : 'e2e'
    : file.includes('.long.')
      ? 'long'
      : file.includes('test/cluster/')
        ? 'cluster'
        : 'unit'

const files = values.files.split(',').filter(Boolean)
const step = values.step ?? stepOf(files[0] ?? '')
const runner = ['unit', 'long', 'cluster'].includes(step)
  ? 'vitest'
  : ['e2e', 'engines', 'fixtures'].includes(step)
    ? 'playwright'
    : 'script'

/** @typedef {{ workers: string, beside: number, clock: string, seed: number }} Turn */

/** @param {number} at which run, from 0 @returns {Turn} */
function turnOf(at) {
  let rest = at
  const next = (/** @type {string} */ list) => {
    const all = list.split(',')
    const chosen = all[rest % all.length] ?? ''
    rest = Math.floor(rest / all.length)
    return chosen
  }
  const [workers, beside, clock] = [next(values.workers), Number(next(values.beside)), next(values.clock)]
  return { workers, beside, clock, seed: Number(values.seed) + at }
}

/** @param {Turn} turn @returns {string[]} */
const flagsOf = ({ workers, seed }) =>
  runner === 'script'
    ? []
    : [
        ...(workers ? [runner === 'vitest' ? `--maxWorkers=${workers}` : `--workers=${workers}`] : []),
        ...(values.shuffle && runner === 'vitest' ? ['--sequence.shuffle', `--sequence.seed=${seed}`] : []),
        ...(values.shuffle && ['e2e', 'engines'].includes(step) ? ['--fully-parallel'] : []),
        ...files,
      ]

/** @param {Turn} turn */
const describeTurn = ({ workers, beside, clock, seed }) =>
  [
    ...(workers ? [`${workers} workers`] : []),
    `${beside} beside`,
    ...(values.disk ? ['a busy disk'] : []),
    ...(clock === 'now' ? [] : [`clock ${clock}`]),
    ...(values.shuffle && runner === 'vitest' ? [`seed ${seed}`] : []),
  ].join(', ')

/** Copies a folder as links to its files, which nobody writes in place. @param {string} from @param {string} to */
const link = (from, to) => execFileSync('cp', ['-al', from, to])

/** A clone, with what is not committed yet, the packages, and all built. @param {string} folder */
async function prepare(folder) {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  git('clone', '--quiet', '--shared', root, folder)
  const changed =
    git('diff', '--name-only', '--no-renames', '-z', 'HEAD') +
    git('ls-files', '-z', '-o', '--exclude-standard')
  for (const path of changed.split('\0').filter(Boolean))
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path))
    else rmSync(join(folder, path), { force: true })
  link(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const cache of ['.vite', '.cache'])
    rmSync(join(folder, 'node_modules', cache), { recursive: true, force: true })
  const { code, output } = await run(process.execPath, ['scripts/test.mjs', '--only', 'build'], {
    cwd: folder,
    quiet: true,
  })
  if (code !== 0) throw new Error(output)
}

/** @param {string} folder @param {Turn} turn */
async function runOnce(folder, turn) {
  const stop = startLoad({ loops: turn.beside, disk: values.disk ? folder : undefined })
  try {
    const args = ['scripts/test.mjs', '--only', step, '--', ...flagsOf(turn)]
    // A failure here is what is looked for: there is no second try.
    const env = { CI: '', ...setClock(turn.clock, runner !== 'vitest') }
    const { code, output } = await run(process.execPath, args, { cwd: folder, env, quiet: true })
    const said = stripVTControlCharacters(output)
    const failures = readFailures(step, folder)
    const rest = { file: step, test: 'the step', message: /✘ .*/.exec(said)?.[0] ?? `ended with ${code}` }
    return { output: said, failures: code === 0 || failures.length ? failures : [rest] }
  } finally {
    await stop()
  }
}

if (values.help) {
  console.log(usage)
  process.exit(0)
}
if (files.some((file) => stepOf(file) !== step && !values.step))
  throw new Error('The files are of several steps.')

await ensureInstalled()
const runs = Number(values.runs)
const folder = mkdtempSync(join(tmpdir(), 'waymark-again-'))
const logs = join(root, '.cache/again', values.seed)
rmSync(logs, { recursive: true, force: true })
mkdirSync(logs, { recursive: true })
/** @type {Map<string, { turns: string[], message: string }>} */
const ever = new Map()
let [done, red, isStopped] = [0, 0, false]
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (isStopped = true))
try {
  await prepare(join(folder, 'built'))
  for (let at = 0; at < runs && !isStopped; at++) {
    const [turn, startedMs] = [turnOf(at), Date.now()]
    const fresh = join(folder, `run-${at}`)
    link(join(folder, 'built'), fresh)
    const { failures, output } = await runOnce(fresh, turn)
    if (isStopped) break
    const log = join(logs, `${at + 1}.log`)
    if (failures.length) writeFileSync(log, output)
    for (const { file, test, message } of failures) {
      const key = `${file}, ${test}`
      const seen = ever.get(key) ?? { turns: [], message }
      ever.set(key, { ...seen, turns: [...seen.turns, describeTurn(turn)] })
    }
    done++
    if (failures.length) red++
    const load = existsSync('/proc/loadavg')
      ? `, load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}`
      : ''
    const took = `${((Date.now() - startedMs) / 1000).toFixed(0)} s${load}`
    const ended = failures.length ? `red, ${failures.length} failed: ${log}` : 'green'
    console.log(`${at + 1}/${runs}  ${describeTurn(turn)}  ${took}  ${ended}`)
    rmSync(fresh, { recursive: true, force: true })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const [test, { turns, message }] of [...ever].toSorted(
  ([, a], [, b]) => b.turns.length - a.turns.length,
)) {
  console.log(`\n${turns.length} of ${done}  ${test}\n    ${turns.join('; ')}`)
  console.log(stripVTControlCharacters(message).split('\n').slice(0, 6).join('\n').replaceAll(/^/gm, '    '))
}
console.log(`\n${step}: ${done} runs, ${red} red`)
process.exitCode = red ? 1 : 0

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureNode, ensurePostgres } from '../setup.mjs'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'
import { tsc } from '../setup/tsc.mjs'
import { must, mustPlaywright, mustScript, mustVitest, runVitest } from './runTests.mjs'
import { secondTry } from './secondTry.mjs'

/** @param {string} folder of a package, whose `engines` begin with the oldest Node in which it works */
function oldestNode(folder) {
  const { engines } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return /[\d.]+/.exec(engines.node)?.[0] ?? ''
}

const unitProjects = ['library', 'built', 'server', 'screens']
/** A commit always has the same seed, so that a run that failed elsewhere can be repeated here. */
function seedOfCommit() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return stdout ? Number.parseInt(stdout.slice(0, 5), 16) : Math.floor(Math.random() * 1_000_000)
}
const shuffleSeed = seedOfCommit()

/**
 * The steps, in their order. Those that only `npm run test:all` runs are marked by `isLong`. One that `isBeside` mostly
 * waits: it runs side by side with the one before it. `run` gets flags and files for what runs the tests.
 * @type {{ name: string, about: string, isLong?: boolean, isBeside?: boolean, run: (more: string[]) => Promise<void> }[]}
 */
export const steps = [
  {
    name: 'types',
    about: 'tsc: library, service and screens, with their tests',
    run: async () => {
      // `server/tsconfig.json` is what the build checks.
      for (const project of ['.', 'server/tsconfig.test.json', 'server/screens'])
        await must(process.execPath, [tsc, '--noEmit', '-p', project])
    },
  },
  {
    name: 'lint',
    about: 'oxlint with types, oxfmt',
    run: async () => {
      await must('oxlint', ['--type-aware'])
      await must('oxfmt', ['--check'])
    },
  },
  { name: 'build', about: 'library and service', run: () => ensureBuilt({ force: true }) },
  {
    name: 'unit',
    about: 'vitest, library, service and screens',
    run: (more) => mustVitest(unitProjects, 'unit', more),
  },
  {
    name: 'package',
    about: 'publint, are the types wrong, knip',
    run: async () => {
      await ensureBuilt()
      await must('publint', ['--strict'])
      await must('publint', ['--strict', 'server'])
      const folder = join(root, '.cache/packed')
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder])
      await must('attw', [join(folder, readdirSync(folder)[0])])
      await must('knip')
    },
  },
  {
    name: 'size',
    about: 'size-limit',
    run: async () => {
      await ensureBuilt({ only: ['library'] })
      await must('size-limit')
    },
  },
  {
    name: 'e2e',
    about: 'journeys in Chromium: the demo, the screens and the real service',
    run: (more) => mustPlaywright(['--project=chromium', ...more], 'e2e'),
  },
  {
    name: 'ledger',
    isBeside: true,
    about: 'delivery in Chromium: a few rounds of every scenario',
    run: (more) => mustScript('ledger', ['scripts/ledger.mjs', '--fast', '--engine', 'chromium', ...more]),
  },
  {
    name: 'equality',
    isBeside: true,
    about: 'what 10 people did in Chromium, against what the service answers and its screens show',
    run: (more) => mustScript('equality', ['scripts/equality.mjs', '--people', '10', '--seed', '1', ...more]),
  },
  {
    name: 'long',
    isLong: true,
    about: 'vitest, the service whose processes are killed, whose disk is full, whose files are damaged',
    run: (more) => mustVitest(['long'], 'long', more),
  },
  {
    name: 'shuffled',
    isLong: true,
    about: `the unit tests once more, in another order: seed ${shuffleSeed}; of random and hostile input four times as much`,
    run: (more) => {
      const order = ['--sequence.shuffle', `--sequence.seed=${shuffleSeed}`]
      return mustVitest(unitProjects, 'shuffled', [...order, ...more], { WAYMARK_TRY_ALL: 'true' })
    },
  },
  {
    name: 'simulate',
    isLong: true,
    about: 'random lives of the library: four times as many as in the unit tests',
    run: () => must(process.execPath, ['scripts/simulate.mjs', '--seeds', '4000']),
  },
  {
    name: 'cluster',
    isLong: true,
    about: 'the service on a replicated PostgreSQL whose servers are killed, stalled and lose their power',
    run: async (more) => {
      await ensureBuilt({ only: ['server'] })
      await ensurePostgres()
      await runVitest(['--project=cluster', '--maxWorkers=2', ...more], 'cluster')
    },
  },
  {
    name: 'clients',
    isLong: true,
    about:
      'the drivers and tools that this machine has read from the service by the Postgres protocol, and SDKs of other programs send to it',
    run: async () => {
      await ensureBuilt({ only: ['server'] })
      await secondTry('clients', async () => {
        const { code } = await run(process.execPath, ['scripts/test/clients.mjs'])
        if (code !== 0) throw new Error('a tool does not get what it asks for: see its table above')
      })
    },
  },
  {
    name: 'suites',
    isLong: true,
    about: 'suites of drivers, databases and formats, and what makes files, against a started service',
    run: async (more) => {
      await ensureBuilt({ only: ['server'] })
      await secondTry('suites', async (name, failures) => {
        const report = join(root, '.cache/reports', `${name}.json`)
        const some = failures.length ? [...new Set(failures.map(({ file }) => file))] : more
        const { code } = await run(process.execPath, ['scripts/test/suites.mjs', '--report', report, ...some])
        if (code !== 0) throw new Error('a suite differs from its list: see its table above')
      })
    },
  },
  {
    name: 'node',
    isLong: true,
    about: 'the library and the service start in the oldest Node that they name, and in the newest',
    run: async () => {
      await ensureBuilt()
      for (const [version, what] of [
        [oldestNode('.'), 'library'],
        [oldestNode('server'), 'service'],
        ['latest', 'service'],
      ]) {
        const { code } = await run(await ensureNode(version), ['scripts/test/smoke.mjs', what])
        if (code !== 0) throw new Error(`the ${what} does not work in Node ${version}`)
      }
    },
  },
  {
    name: 'engines',
    isLong: true,
    about: 'journeys in Firefox and WebKit, and the long ones in Chromium',
    run: (more) => mustPlaywright(['--project=long', '--project=engines', ...more], 'engines'),
  },
  {
    name: 'fixtures',
    isLong: true,
    about: 'the packed tarballs in Vite, webpack, esbuild, Rollup, Parcel, Next, Jest and TypeScript',
    run: (more) => mustPlaywright(['--config', 'fixtures', ...more], 'fixtures'),
  },
  {
    name: 'ledger-engines',
    isLong: true,
    isBeside: true,
    about: 'delivery in Firefox and WebKit: a few rounds of every scenario',
    run: (more) =>
      mustScript('ledger-engines', ['scripts/ledger.mjs', '--fast', '--engine', 'firefox,webkit', ...more]),
  },
  {
    name: 'equality-20',
    isLong: true,
    isBeside: true,
    about: 'what 20 other people did in Chromium',
    run: (more) =>
      mustScript('equality-20', ['scripts/equality.mjs', '--people', '20', '--seed', '2', ...more]),
  },
]

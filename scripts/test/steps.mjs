import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBrowser, ensureBuilt, ensurePostgres, ensurePsql } from '../setup.mjs'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'

/**
 * Runs a program of the installed packages, which must end well.
 * @param {string} name
 * @param {string[]} [args]
 * @param {Record<string, string>} [env]
 */
async function must(name, args = [], env = {}) {
  const { code } = await run(join(root, 'node_modules/.bin', name), args, { env })
  if (code !== 0) throw new Error(`${[name, ...args].join(' ')} ended with ${code}`)
}

/** @param {string} name of the step, and of its report */
const reportersOf = (name) => [
  '--reporter=verbose',
  '--reporter=json',
  `--outputFile.json=.cache/reports/${name}.json`,
]

/** The steps of `npm test`, in their order. @type {{ name: string, about: string, run: () => Promise<void> }[]} */
export const steps = [
  {
    name: 'types',
    about: 'tsc, library and service',
    run: async () => {
      const check = (/** @type {string[]} */ ...flags) => must('tsc', ['--noEmit', ...flags])
      await Promise.all([check(), check('-p', 'server')])
      await Promise.all([check('-p', 'server/tsconfig.test.json'), check('-p', 'server/screens')])
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
    about: 'vitest, library and service',
    run: async () => {
      await ensureBuilt()
      await ensurePostgres()
      await ensurePsql()
      await must('vitest', ['run', '--project=!cluster', ...reportersOf('unit')])
    },
  },
  {
    name: 'cluster',
    about: 'the service on a replicated PostgreSQL whose servers are killed, stalled and lose their power',
    run: async () => {
      await ensureBuilt({ only: ['server'] })
      await ensurePostgres()
      await must('vitest', ['run', '--project=cluster', '--maxWorkers=2', ...reportersOf('cluster')])
    },
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
    about: 'Playwright in Chromium, the demo and the real service',
    run: async () => {
      await ensureBuilt()
      const browser = await ensureBrowser()
      console.log(`· browser: ${browser}`)
      await must('playwright', ['test', '--reporter=list,json'], {
        WAYMARK_CHROMIUM: browser,
        PLAYWRIGHT_JSON_OUTPUT_FILE: '.cache/reports/e2e.json',
      })
    },
  },
  {
    name: 'fixtures',
    about: 'the packed tarballs in Vite, webpack, esbuild, Rollup, Parcel, Next, Jest and TypeScript',
    run: async () => {
      await ensureBuilt()
      await must('playwright', ['test', '--config', 'fixtures', '--reporter=list,json'], {
        WAYMARK_CHROMIUM: await ensureBrowser(),
        PLAYWRIGHT_JSON_OUTPUT_FILE: '.cache/reports/fixtures.json',
      })
    },
  },
  {
    name: 'ledger',
    about: 'delivery in Chromium, Firefox and WebKit: a few rounds of every scenario',
    run: async () => {
      await ensureBuilt()
      const args = ['scripts/ledger.mjs', '--fast', '--report', '.cache/reports/ledger.json']
      const { code } = await run(process.execPath, args, { env: { WAYMARK_CHROMIUM: await ensureBrowser() } })
      if (code !== 0) throw new Error('the ledger found something lost or sent twice: see its table above')
    },
  },
  {
    name: 'equality',
    about: 'what 20 people did in Chromium, against what the service answers and its screens show',
    run: async () => {
      await ensureBuilt()
      const { code } = await run(
        process.execPath,
        ['scripts/equality.mjs', '--people', '20', '--seed', '1'],
        {
          env: { WAYMARK_CHROMIUM: await ensureBrowser() },
        },
      )
      if (code !== 0) throw new Error('the service answers something else than what people did: see above')
    },
  },
]

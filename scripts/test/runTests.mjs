import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ensureBrowser, ensureBuilt, ensurePostgres, ensurePsql } from '../setup.mjs'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'
import { secondTry } from './secondTry.mjs'

/**
 * Runs a program, by its path or as one of the installed packages, which must end well.
 * @param {string} name
 * @param {string[]} [args]
 * @param {Record<string, string>} [env]
 */
export async function must(name, args = [], env = {}) {
  const { code } = await run(resolve(root, 'node_modules/.bin', name), args, { env })
  if (code !== 0) throw new Error(`${[name, ...args].join(' ')} ended with ${code}`)
}

/** @param {readonly { file: string }[]} failures */
const filesOf = (failures) => [...new Set(failures.map(({ file }) => file))].filter(Boolean)

/**
 * @param {string[]} args
 * @param {string} report what the step, and its report, is called
 * @param {Record<string, string>} [env]
 */
export const runVitest = (args, report, env = {}) =>
  secondTry(report, (name, failures) => {
    const path = `.cache/reports/${name}`
    const reporters = ['verbose', 'json', './scripts/test/failuresReporter.mjs'].map(
      (one) => `--reporter=${one}`,
    )
    const flags = [...reporters, `--outputFile.json=${path}.json`]
    // By itself: what failed in another order only is printed as flaky.
    const first = failures.length === 0
    const taken = args.filter((arg) => first || !arg.startsWith('--sequence.'))
    return must('vitest', ['run', ...taken, ...flags, ...filesOf(failures)], {
      ...env,
      WAYMARK_FAILURES: `${path}.failures`,
    })
  })

/** Runs a script of our own, whose report says in a sentence what it found. @param {string} report @param {string[]} args */
export async function mustScript(report, args) {
  await ensureBuilt()
  const env = { WAYMARK_CHROMIUM: await ensureBrowser() }
  await secondTry(report, async (name, failures) => {
    // Only the ledger names its parts.
    const some = failures.length ? ['--scenario', [...new Set(failures.map(({ test }) => test))].join()] : []
    const path = join(root, '.cache/reports', `${name}.json`)
    const { code } = await run(process.execPath, [...args, '--report', path, ...some], { env })
    if (code === 0) return
    const { verdict } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
    throw new Error(verdict || `${args[0]} ended with ${code} before it had judged: see above`)
  })
}

/** @param {string[]} projects @param {string} report @param {string[]} more @param {Record<string, string>} [env] */
export async function mustVitest(projects, report, more, env) {
  await ensureBuilt()
  await ensurePostgres()
  await ensurePsql()
  await runVitest([...projects.map((name) => `--project=${name}`), ...more], report, env)
}

/** @param {string[]} flags @param {string} report */
export async function mustPlaywright(flags, report) {
  await ensureBuilt()
  const browser = await ensureBrowser()
  await secondTry(report, (name, failures) =>
    must('playwright', ['test', ...flags, '--reporter=list,json', ...filesOf(failures)], {
      WAYMARK_CHROMIUM: browser,
      PLAYWRIGHT_JSON_OUTPUT_FILE: `.cache/reports/${name}.json`,
    }),
  )
}

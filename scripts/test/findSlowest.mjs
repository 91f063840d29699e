import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../setup/root.mjs'

/** @typedef {{ file: string, seconds: number }} Timed */

/** @param {any} report of Vitest @returns {Timed[]} */
const readVitest = ({ testResults }) =>
  testResults.map((/** @type {any} */ { name, startTime, endTime }) => ({
    file: relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }))

/** @param {any} suite of a Playwright report @returns {number} milliseconds of all its tests */
const durationOf = ({ specs = [], suites = [] }) =>
  [
    ...specs.flatMap((/** @type {any} */ { tests }) =>
      tests.flatMap((/** @type {any} */ { results }) =>
        results.map((/** @type {any} */ { duration }) => duration),
      ),
    ),
    ...suites.map(durationOf),
  ].reduce((sum, ms) => sum + ms, 0)

/** @param {any} report of Playwright @returns {Timed[]} */
const readPlaywright = ({ suites }) =>
  suites.map((/** @type {any} */ suite) => ({ file: suite.file, seconds: durationOf(suite) / 1000 }))

/** The test files of this run that took longest, the longest first. @param {number} count */
export function findSlowest(count) {
  const folder = join(root, '.cache/reports')
  if (!existsSync(folder)) return []
  const reports = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  return reports
    .flatMap((report) =>
      'testResults' in report ? readVitest(report) : 'suites' in report ? readPlaywright(report) : [],
    )
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
}

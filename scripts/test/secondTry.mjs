// With `CI=true` a step of tests that fails runs what failed in it once more, by itself, so that other work can land
// while tests are mended that fail without a fault of the product. What is red twice is red.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from '../setup/root.mjs'
import { readFailures } from './readFailures.mjs'

/** @typedef {import('./failuresReporter.mjs').Failure} Failure */

const pathOf = (/** @type {string} */ name) => join(root, '.cache/reports', `${name}.json`)
const read = (/** @type {string} */ name) =>
  existsSync(pathOf(name)) ? JSON.parse(readFileSync(pathOf(name), 'utf8')) : {}

const firstLine = (/** @type {string} */ text) =>
  stripVTControlCharacters(text)
    .split('\n')
    .find((line) => line.trim())
    ?.trim()

/** @param {any} suite of a Playwright report @returns {string[]} how each of its tests ended */
const statusesOf = ({ specs = [], suites = [] }) => [
  ...specs.flatMap(({ tests }) => /** @type {any[]} */ (tests).map(({ status }) => status)),
  ...suites.flatMap(statusesOf),
]

/** The report of a step: of the files that ran twice, it counts the second time. @param {any} first @param {any} second */
function merge(first, second) {
  const has = (/** @type {string[]} */ list, /** @type {string[]} */ ...wanted) =>
    list.filter((status) => wanted.includes(status)).length
  if (second.testResults) {
    const again = new Set(second.testResults.map((/** @type {any} */ { name }) => name))
    const testResults = [
      ...(first.testResults ?? []).filter((/** @type {any} */ { name }) => !again.has(name)),
      ...second.testResults,
    ]
    /** @type {string[]} */
    const ended = testResults.flatMap(({ assertionResults }) =>
      assertionResults.map((/** @type {any} */ { status }) => status),
    )
    const [numPassedTests, numFailedTests] = [has(ended, 'passed'), has(ended, 'failed')]
    return { testResults, numPassedTests, numFailedTests, numPendingTests: has(ended, 'skipped', 'pending') }
  }
  if (second.suites) {
    const again = new Set(second.suites.map((/** @type {any} */ { file }) => file))
    const suites = [
      ...(first.suites ?? []).filter((/** @type {any} */ { file }) => !again.has(file)),
      ...second.suites,
    ]
    const ended = suites.flatMap(statusesOf)
    const stats = {
      expected: has(ended, 'expected'),
      unexpected: has(ended, 'unexpected'),
      flaky: has(ended, 'flaky'),
      skipped: has(ended, 'skipped'),
    }
    return { suites, stats }
  }
  // It ended without a report.
  if (second.passed === undefined) return first
  // The ledger runs the scenarios that failed; equality, whose failures name none, all of it.
  const { failed } = second
  return { passed: first.failures?.length ? first.passed + first.failed - failed : second.passed, failed }
}

/**
 * @param {string} name of the step
 * @param {(report: string, failures: Failure[]) => Promise<void>} runTests runs those that failed; with none, all
 */
export async function secondTry(name, runTests) {
  try {
    return await runTests(name, [])
  } catch (error) {
    if (process.env['CI'] !== 'true') throw error
    const failures = readFailures(name)
    const first = read(name)
    console.log(`\n${name}: ${failures.length || 'all'} failed, and once more`)
    const again = `${name}-again`
    try {
      await runTests(again, failures)
    } finally {
      const isRed = (/** @type {Failure} */ { file, test }) =>
        readFailures(again).some((other) => other.file === file && other.test === test)
      const whole = { file: name, test: 'all', message: String(error) }
      for (const { file, test, message } of failures.length ? failures.filter((one) => !isRed(one)) : [whole])
        console.log(`flaky: ${file}, ${test}, ${firstLine(message)}`)
      writeFileSync(pathOf(name), JSON.stringify(merge(first, read(again))))
    }
  }
}

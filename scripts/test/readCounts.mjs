import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup/root.mjs'

/** A test that needed a second try counts as failed: there are no retries. */
const readPlaywright = (/** @type {any} */ { stats }) => ({
  passed: stats.expected,
  failed: stats.unexpected + stats.flaky,
  skipped: stats.skipped,
})

const readVitest = (/** @type {any} */ { numPassedTests, numFailedTests, numPendingTests }) => ({
  passed: numPassedTests,
  failed: numFailedTests,
  skipped: numPendingTests,
})

const readOwn = (/** @type {any} */ { passed, failed }) => ({ passed, failed, skipped: 0 })

/** What each runner's JSON report calls its counts. */
const reports = {
  unit: readVitest,
  long: readVitest,
  shuffled: readVitest,
  cluster: readVitest,
  e2e: readPlaywright,
  engines: readPlaywright,
  fixtures: readPlaywright,
  // The ledger counts scenarios, once for each engine; equality counts questions.
  ledger: readOwn,
  'ledger-engines': readOwn,
  equality: readOwn,
  'equality-20': readOwn,
  suites: readOwn,
}

/** Sums what the runners of this run reported; `notes` tells of what was not run. */
export function readCounts() {
  const sum = { passed: 0, failed: 0, notes: /** @type {string[]} */ ([]) }
  for (const [name, read] of Object.entries(reports)) {
    const path = join(root, '.cache/reports', `${name}.json`)
    if (!existsSync(path)) continue
    const { passed, failed, skipped } = read(JSON.parse(readFileSync(path, 'utf8')))
    sum.passed += passed
    sum.failed += failed
    if (skipped > 0) sum.notes.push(`${name}: ${skipped} were not run`)
  }
  return sum
}

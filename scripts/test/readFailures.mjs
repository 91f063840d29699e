import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup/root.mjs'

/** @typedef {import('./failuresReporter.mjs').Failure} Failure */

/** @param {any} suite of a Playwright report @param {string[]} path @returns {Failure[]} */
function readSuite({ file, title, specs = [], suites = [] }, path = []) {
  const names = title === file ? path : [...path, title]
  return [
    ...specs
      .filter((/** @type {any} */ { ok }) => !ok)
      .map((/** @type {any} */ spec) => ({
        file,
        test: [...names, spec.title].join(' '),
        message:
          spec.tests
            .flatMap(({ results }) => results)
            .flatMap(({ errors }) => errors)
            .map(({ message }) => message)[0] ?? 'no message',
      })),
    ...suites.flatMap((/** @type {any} */ inner) => readSuite(inner, names)),
  ]
}

/**
 * What a step's report says that failed; nothing where its runner ended without one.
 * @param {string} name of the step
 * @param {string} [folder] the repository's
 * @returns {Failure[]}
 */
export function readFailures(name, folder = root) {
  const at = (/** @type {string} */ file) => join(folder, '.cache/reports', file)
  // Vitest's failures have a file of their own.
  if (existsSync(at(`${name}.failures`))) return JSON.parse(readFileSync(at(`${name}.failures`), 'utf8'))
  if (!existsSync(at(`${name}.json`))) return []
  // Playwright's and our own scripts' failures are in their reports.
  const { suites = [], failures } = JSON.parse(readFileSync(at(`${name}.json`), 'utf8'))
  return failures ?? suites.flatMap((/** @type {any} */ suite) => readSuite(suite))
}

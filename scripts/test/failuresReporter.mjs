import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from '../setup/root.mjs'

/** @typedef {{ file: string, test: string, message: string }} Failure */

/** @param {readonly { message?: string }[] | undefined} errors */
const firstMessage = (errors) => errors?.[0]?.message ?? 'no message'

/**
 * Writes down what failed in a run of Vitest, for `readFailures`. Its own JSON report leaves out what a hook threw, and
 * errors that belong to no test.
 */
export default class {
  /** @param {readonly any[]} modules @param {readonly any[]} unhandled */
  onTestRunEnd(modules, unhandled) {
    /** @type {Failure[]} */
    const failures = unhandled.map((error) => ({
      file: '',
      test: 'an error outside of tests',
      message: firstMessage([error]),
    }))
    for (const module of modules) {
      const file = relative(root, module.moduleId)
      const add = (/** @type {string} */ test, /** @type {any[] | undefined} */ errors) =>
        void (errors?.length && failures.push({ file, test, message: firstMessage(errors) }))
      add('the file', module.errors())
      for (const suite of module.children.allSuites()) add(suite.fullName, suite.errors())
      for (const test of module.children.allTests()) add(test.fullName, test.result().errors)
    }
    writeFileSync(process.env['WAYMARK_FAILURES'] ?? 'failures.json', JSON.stringify(failures))
  }
}

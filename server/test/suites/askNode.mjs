import { join } from 'node:path'
import { run as runCommand } from '../../../scripts/setup/run.mjs'
import { node } from '../../../scripts/test/clientTools.mjs'

/**
 * Runs lists of cases in server/test/suites/node with the packages of the step `clients`.
 * @param {string[]} scripts @returns {import('../../../scripts/test/suites.mjs').Suite}
 */
export const askNode =
  (scripts) =>
  async ({ port, ask }) => {
    const missing = await node.prepare()
    if (missing) return missing
    const people = 'FROM (SELECT unnest(generate_series(1, 26)) AS id)'
    // Another suite has made a table of this name, too.
    await ask(
      `CREATE OR REPLACE TABLE people AS SELECT id::INTEGER AS id, chr(96 + id::INTEGER) AS name ${people}`,
    )
    const cases = new Map()
    for (const script of scripts) {
      const path = join(import.meta.dirname, 'node', script)
      const env = { PGPORT: port, WAYMARK_PACKAGES: node.cwd }
      const { code, output } = await runCommand(process.execPath, [path], {
        env,
        quiet: true,
        timeoutMs: 300_000,
      })
      if (code !== 0) throw new Error(output.slice(-2000))
      for (const line of output.split('\n')) if (line.startsWith('["')) cases.set(...JSON.parse(line))
    }
    return cases
  }

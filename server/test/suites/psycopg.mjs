// What psycopg's own tests check, as a list of ours: psycopg/cases.py. Left out is what writes (adapted enums, composites,
// ranges, two-phase commits, COPY FROM, notices of DO, LISTEN) and what needs another server (pools, gssapi, crdb).
import { join } from 'node:path'
import { run as runCommand } from '../../../scripts/setup/run.mjs'
import { driverPackages, installPython } from '../../../scripts/test/installPackages.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run({ port }) {
  const python = await installPython('drivers', driverPackages)
  if (!python) return 'Python, or a package of it, is not to be had'
  const script = join(import.meta.dirname, 'psycopg/cases.py')
  const { code, output } = await runCommand(python, ['-B', script], {
    env: { PGPORT: port },
    quiet: true,
    timeoutMs: 300_000,
  })
  if (code !== 0) throw new Error(output.slice(-2000))
  return new Map(
    output
      .split('\n')
      .filter((line) => line.startsWith('["'))
      .map((line) => JSON.parse(line)),
  )
}

// SQLAlchemy's own suite for dialects, which is in its package: what it asks of selects, common table expressions, rows,
// types and names. Left out are its tests of inserts, updates, tables, sequences and what it reflects (the step `clients`).
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run as runCommand } from '../../../scripts/setup/run.mjs'
import { driverPackages, installPython } from '../../../scripts/test/installPackages.mjs'
import { readReport } from './readReport.mjs'

const left = ['Identity', 'Computed', 'Returning', 'SetDefaultSchema', 'AutocommitIsolation', 'SameNamed']

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run({ port, url, work }) {
  const python = await installPython('drivers', driverPackages)
  if (!python) return 'Python, or a package of it, is not to be had'
  const cwd = join(work, 'sqlalchemy')
  cpSync(join(import.meta.dirname, 'sqlalchemy'), cwd, { recursive: true })
  const report = join(cwd, 'report.xml')
  const database = `postgresql+psycopg://ada:lovelace@127.0.0.1:${port}/lakehouse`
  const flags = [
    '-B',
    '-m',
    'pytest',
    '-q',
    '-p',
    'no:cacheprovider',
    '-p',
    'no:logging',
    '--tb=line',
    '--maxfail=1000',
  ]
  const which = [
    '--dburi',
    database,
    `--junitxml=${report}`,
    '-k',
    left.map((name) => `not ${name}`).join(' and '),
  ]
  const { output } = await runCommand(python, [...flags, ...which], {
    env: { WAYMARK_URL: url },
    cwd,
    quiet: true,
    timeoutMs: 600_000,
  })
  if (!existsSync(report)) throw new Error(output.slice(-2000))
  return readReport(readFileSync(report, 'utf8'), /\.(\w+?)_postgresql/)
}

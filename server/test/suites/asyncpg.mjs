// asyncpg's own tests, from its source package. Left out: test_connect, test_adversity (servers of their own), test_pool
// (a database called postgres), test_listeners (nothing comes), test_timeout (pg_sleep), test_cache_invalidation,
// test_introspection (tables and databases that they make), and the case below.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/setup/root.mjs'
import { run as runCommand } from '../../../scripts/setup/run.mjs'
import { driverPackages, installPython } from '../../../scripts/test/installPackages.mjs'
import { readReport } from './readReport.mjs'

const version = '0.31.0'
const modules = 'cursor prepare codecs execute transaction copy exceptions record types utils logging'.split(
  ' ',
)
/** It passes where its time limit comes before the error of pg_sleep. */
const byTheClock = 'test_prepare_23_no_stmt_cache_seq'
const cache = join(root, '.cache/suites/asyncpg')

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run({ port, work }) {
  const python = await installPython('drivers', driverPackages)
  if (!python) return 'Python, or a package of it, is not to be had'
  const archive = join(cache, `asyncpg-${version}.tar.gz`)
  const call = (/** @type {string} */ command, /** @type {string[]} */ args, cwd = work) =>
    runCommand(command, args, { env, cwd, quiet: true, timeoutMs: 300_000 })
  const env = {
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGUSER: 'ada',
    PGPASSWORD: 'lovelace',
    PGDATABASE: 'lakehouse',
  }
  mkdirSync(cache, { recursive: true })
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', 'asyncpg', '-d', cache]
  if (!existsSync(archive)) await call(python, [...download, `asyncpg==${version}`])
  if (!existsSync(archive)) return 'the source package could not be had'
  await call('tar', ['xzf', archive, `asyncpg-${version}/tests`])
  const folder = join(work, `asyncpg-${version}`)
  const files = modules.map((name) => `tests/test_${name}.py`)
  const flags = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=line', '--junitxml=report.xml']
  flags.push('-k', `not ${byTheClock}`)
  const { output } = await call(python, [...flags, ...files], folder)
  if (!readdirSync(folder).includes('report.xml')) throw new Error(output.slice(-2000))
  return readReport(readFileSync(join(folder, 'report.xml'), 'utf8'), /^tests\.(\w+)/)
}

// What the suites and tools need from registries, in `.cache/suites`: kept for the next run. Where a registry cannot be
// reached, or an interpreter is missing, what needs them is not tried.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'

export const toolPackages = [
  ...['sqlalchemy==2.0.46', 'psycopg2-binary==2.9.13', 'adbc-driver-postgresql==1.13.0', 'pandas==3.1.1'],
  ...['pyarrow==26.0.1', 'polars==2.1.0', 'dlt==1.31.0', 'dbt-core==1.12.0', 'dbt-postgres==1.11.0'],
  ...['fastparquet==2026.9.0', 'openpyxl==3.1.5'],
]
export const driverPackages = [
  'sqlalchemy==2.1.9',
  'psycopg[binary]==3.3.9',
  'asyncpg==0.31.0',
  'pytest==9.2.0',
]
export const senderPackages = [
  ...['segment-analytics-python==2.4.0', 'posthog==7.91.1'],
  ...['amplitude-analytics==1.3.0', 'mixpanel==5.4.1'],
]
// Spark has no wheel; its package is Python and jars.
export const sparkPackages = ['--no-binary=pyspark', 'pyspark==3.5.9']

const cache = join(root, '.cache/suites')

/**
 * @param {string} name of the folder
 * @param {string[]} packages with their versions
 * @returns {Promise<string | undefined>} the folder
 */
export async function installNpm(name, packages) {
  const folder = join(cache, name)
  mkdirSync(folder, { recursive: true })
  const flags = [
    '--no-save',
    '--no-package-lock',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--prefix',
    folder,
  ]
  const { code } = await run('npm', ['install', ...flags, ...packages], { quiet: true, timeoutMs: 120_000 })
  return code === 0 ? folder : undefined
}

/**
 * A Python of its own with packages from their wheels: nothing is compiled.
 * @param {string} name of the environment
 * @param {string[]} packages with their versions
 * @returns {Promise<string | undefined>} the interpreter
 */
export async function installPython(name, packages) {
  const folder = join(cache, name)
  const python = join(folder, 'bin/python')
  const call = (/** @type {string} */ command, /** @type {string[]} */ args) =>
    run(command, args, { quiet: true, timeoutMs: 300_000 })
  const pip = [
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'],
    ...packages,
  ]
  if ((await call(python, ['--version'])).code !== 0) {
    if ((await call('python3', ['-m', 'venv', folder])).code !== 0) return undefined
  }
  return (await call(python, pip)).code === 0 ? python : undefined
}

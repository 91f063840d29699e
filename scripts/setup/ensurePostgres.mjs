import { existsSync, readdirSync } from 'node:fs'
import { delimiter } from 'node:path'
import { installDebianPackage } from './installDebianPackage.mjs'
import { run } from './run.mjs'

/** Where Debian keeps the server's programs, a folder for each version. */
const debian = '/usr/lib/postgresql'

const hasServer = () =>
  (existsSync(debian) &&
    readdirSync(debian).some((version) => existsSync(`${debian}/${version}/bin/postgres`))) ||
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(`${folder}/postgres`))

const hasCompiler = async () => (await run('cc', ['--version'], { quiet: true })).code === 0

/**
 * The tests of the log in PostgreSQL run real servers, and a small C library that knows what was synced.
 * Where these cannot be had the tests fail, and say so.
 */
export async function ensurePostgres() {
  if (!hasServer()) {
    console.log('· no PostgreSQL here: trying Debian’s package (apt-get install postgresql)')
    await installDebianPackage('postgresql')
  }
  if (!(await hasCompiler())) {
    console.log('· no C compiler here: trying Debian’s packages (apt-get install gcc libc6-dev)')
    await installDebianPackage('gcc', 'libc6-dev')
  }
}

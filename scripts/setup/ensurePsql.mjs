import { installDebianPackage } from './installDebianPackage.mjs'
import { run } from './run.mjs'

const isThere = async () => (await run('psql', ['--version'], { quiet: true })).code === 0

/** The tests of the service's Postgres port run the real client. Where it cannot be had they fail, and say so. */
export async function ensurePsql() {
  if (await isThere()) return
  console.log('· no psql here: trying Debian’s package (apt-get install postgresql-client)')
  await installDebianPackage('postgresql-client')
}

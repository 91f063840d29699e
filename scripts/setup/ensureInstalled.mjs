import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'
import { run } from './run.mjs'

/** @param {string} path */
const packagesIn = (path) => JSON.parse(readFileSync(path, 'utf8')).packages

/** True when every package of the lockfile that this platform must have is installed in that version. */
function isInstalled() {
  const installedPath = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installedPath)) return false
  const installed = packagesIn(installedPath)
  return Object.entries(packagesIn(join(root, 'package-lock.json'))).every(
    ([path, { version, link, optional, devOptional }]) =>
      !path.includes('node_modules/') ||
      link ||
      (installed[path] ? installed[path].version === version : optional || devOptional),
  )
}

/** Installs the lockfile's packages when they are missing or of other versions. */
export async function ensureInstalled() {
  if (isInstalled()) return
  console.log(
    '· installing the packages of package-lock.json (npm ci): one minute, or several on a slow network',
  )
  const { code } = await run('npm', ['ci', '--loglevel=error'])
  if (code !== 0)
    throw new Error('The packages of package-lock.json could not be installed: see what npm says above.')
}

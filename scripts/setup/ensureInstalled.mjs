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

const flags = ['--no-audit', '--no-fund', '--loglevel=error']

/** Takes the versions from the lockfile, leaves it as it is, and only changes what differs. */
const install = () => run('npm', ['install', '--no-save', ...flags])

/** Installs the lockfile's packages when they are missing or of other versions. */
export async function ensureInstalled() {
  if (isInstalled()) return
  let refusal = ''
  if (existsSync(join(root, 'node_modules'))) {
    console.log('· bringing the packages to package-lock.json (npm install --no-save)')
    await install()
  } else {
    console.log('· installing the packages of package-lock.json (npm ci)')
    const { code, output } = await run('npm', ['ci', ...flags], { quiet: true })
    if (code !== 0) {
      // npm ci also refuses where the registry lacks an optional package of some other platform.
      console.log('· npm ci refused; trying npm install --no-save')
      refusal = output
      await install()
    }
  }
  if (isInstalled()) return
  console.error(refusal)
  throw new Error('The packages of package-lock.json could not be installed: see what npm says above.')
}

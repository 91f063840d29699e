import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { run } from '../../scripts/setup/run.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
const readJson = (/** @type {string} */ path) => JSON.parse(readFileSync(`${folder}/${path}`, 'utf8'))

/** Installs the peers beside their lockfile, unless the versions that it names are there. */
export async function ensurePeers() {
  /** @type {[string, string][]} */
  const wanted = Object.entries(readJson('package.json').dependencies)
  const isThere = wanted.every(([name, version]) => {
    const path = `node_modules/${name}/package.json`
    return existsSync(`${folder}/${path}`) && readJson(path).version === version
  })
  if (isThere) return
  console.log('· installing the peers (npm ci in bench/peers)')
  const { code } = await run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: folder })
  if (code !== 0)
    throw new Error('npm ci in bench/peers failed: see above; it needs the npm registry the first time.')
}

/** The versions that are compared: the peers as they are pinned, waymark as it is here. */
export const readVersions = () => ({
  waymark: readJson('../../package.json').version,
  ...readJson('package.json').dependencies,
})

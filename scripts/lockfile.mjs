// npm run lockfile: after an npm install that changed a package-lock.json, gives every optional package of other
// platforms its entry with the hash of its file, so that `npm ci` of every npm takes the file on every platform, and no
// other file in a package's place.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addMissingPackages } from './setup/addMissingPackages.mjs'
import { root } from './setup/root.mjs'
import { run } from './setup/run.mjs'

/** The entry with the hash in npm's place. @param {string} path @param {{ version: string }} entry */
async function withIntegrity(path, { version, ...rest }) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const { code, output } = await run('npm', ['view', `${name}@${version}`, 'dist.integrity'], { quiet: true })
  const [integrity] = /sha512-\S+/.exec(output) ?? []
  if (code === 0 && integrity) return { version, integrity, ...rest }
  throw new Error(`The registry does not tell the hash of ${name}@${version}: ${output.trim()}`)
}

for (const path of ['package-lock.json', 'fixtures/package-lock.json', 'bench/peers/package-lock.json']) {
  const lockfile = JSON.parse(readFileSync(join(root, path), 'utf8'))
  const added = addMissingPackages(lockfile)
  for (const [place, entry] of Object.entries(lockfile.packages))
    if (place.includes('node_modules/') && !entry.link && !entry.integrity)
      lockfile.packages[place] = await withIntegrity(place, entry)
  writeFileSync(join(root, path), `${JSON.stringify(lockfile, null, 2)}\n`)
  console.log(`${path}: ${added.length} entries added`)
}

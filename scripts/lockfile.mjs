// npm run lockfile: after an npm install that changed a package-lock.json, gives every optional package of other
// platforms its entry, so that `npm ci` of every npm takes the file on every platform.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addMissingPackages } from './setup/addMissingPackages.mjs'
import { root } from './setup/root.mjs'

for (const path of ['package-lock.json', 'fixtures/package-lock.json', 'bench/peers/package-lock.json']) {
  const lockfile = JSON.parse(readFileSync(join(root, path), 'utf8'))
  const added = addMissingPackages(lockfile)
  writeFileSync(join(root, path), `${JSON.stringify(lockfile, null, 2)}\n`)
  console.log(`${path}: ${added.length} entries added`)
}

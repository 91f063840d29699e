// What npm pack and npm publish do first, for the package that is named: `library` or `server`.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './setup.mjs'
import { root } from './setup/root.mjs'

const target = /** @type {'library' | 'server'} */ (process.argv[2])
await ensureInstalled()
// Nothing of a module that is gone may be packed.
rmSync(join(root, target === 'server' ? 'server/dist' : 'dist'), { recursive: true, force: true })
await ensureBuilt({ only: [target], force: true })
/** @param {string} name */
const emptyFolder = (name) => {
  const folder = join(root, 'server', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  return folder
}

if (target === 'server') {
  // The files that pages load: the service serves them, also where the library is not installed beside it.
  await ensureBuilt({ only: ['library'] })
  const [from, to] = [join(root, 'dist'), emptyFolder('browser')]
  for (const file of readdirSync(from).filter(
    (name) => /^waymark\..+\.js$/.test(name) && !name.includes('development'),
  ))
    cpSync(join(from, file), join(to, file))
}

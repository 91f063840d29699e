// What npm pack and npm publish do first, for the package that is named: `library` or `server`.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './setup.mjs'
import { root } from './setup/root.mjs'

const target = /** @type {'library' | 'server'} */ (process.argv[2])
await ensureInstalled()
// Nothing of a module that is gone may be packed.
rmSync(join(root, target === 'server' ? 'server/dist' : 'dist'), { recursive: true, force: true })
await ensureBuilt({ only: [target], force: true })

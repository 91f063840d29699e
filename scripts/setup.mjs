// What every command does first, on a fresh clone too: nothing here needs more than Node itself.
export { ensureInstalled } from './setup/ensureInstalled.mjs'
export { ensureBuilt } from './setup/ensureBuilt.mjs'
export { ensureBrowser } from './setup/ensureBrowser.mjs'
export { ensureNode } from './setup/ensureNode.mjs'
export { ensurePsql } from './setup/ensurePsql.mjs'
export { ensurePostgres } from './setup/ensurePostgres.mjs'

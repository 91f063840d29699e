import { join } from 'node:path'
import { root } from './root.mjs'

/**
 * The compiler, by its path: TypeScript 6, which tools need for its API, brings a `tsc` too, and npm links either of
 * them as `tsc`. It takes five times as long.
 */
export const tsc = join(root, 'node_modules/typescript/bin/tsc')

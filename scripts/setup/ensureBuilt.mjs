import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'
import { run } from './run.mjs'

const targets = {
  library: {
    sources: [
      'src',
      'rollup.config.mjs',
      'scripts/build',
      'scripts/build.mjs',
      'scripts/entries.mjs',
      'scripts/innerNames.mjs',
      'tsconfig.json',
      'tsconfig.build.json',
      'package.json',
    ],
    outputs: ['dist/waymark.js', 'dist/waymark.iife.js', 'dist/waymark.d.ts'],
    command: ['run', 'build'],
  },
  server: {
    sources: [
      'server/src',
      'server/tsconfig.json',
      'server/package.json',
      'server/screens/src',
      'server/screens/build.mjs',
      'server/screens/icon.svg',
      'server/screens/index.html',
      'server/screens/tsconfig.json',
      'server/screens/tsconfig.build.json',
    ],
    outputs: ['server/dist/main.js', 'server/dist/screens/index.html'],
    command: ['run', 'build', '-w', 'server'],
  },
}

/** @param {string} path @returns {string[]} */
function filesIn(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)))
}

/** @param {string[]} sources */
function fingerprint(sources) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesIn(join(root, source))))
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/**
 * Builds the library and the server, each only when its sources changed since this function last built it:
 * contents are compared, because a checkout says nothing true about times.
 * @param {{ only?: (keyof typeof targets)[], force?: boolean }} [options]
 */
export async function ensureBuilt({ only = ['library', 'server'], force = false } = {}) {
  for (const name of only) {
    const { sources, outputs, command } = targets[name]
    const stamp = join(root, '.cache/built', name)
    const print = fingerprint(sources)
    const isThere = outputs.every((output) => existsSync(join(root, output)))
    if (!force && isThere && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) continue
    console.log(`· building the ${name} (npm ${command.join(' ')}), which takes some 20 seconds`)
    // Sizes and hashes are for who builds, not for who starts the demo.
    const { code, output } = await run('npm', [...command, '--silent'], { quiet: !force })
    if (code !== 0) throw new Error(`The ${name} could not be built.\n${output}`)
    mkdirSync(join(root, '.cache/built'), { recursive: true })
    writeFileSync(stamp, print)
  }
}

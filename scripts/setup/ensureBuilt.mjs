import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'
import { label, run } from './run.mjs'

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
      'scripts/buildDocs.mjs',
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

const folder = join(root, '.cache/built')

/** @param {string} path */
const readText = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Says what is built, how long that takes, and at a terminal how long it has taken. @param {string[]} names */
function tellBuild(names) {
  const before = names.map((name) => Number(readText(join(folder, `${name}-seconds`))))
  const expected = before.every((seconds) => seconds > 0)
    ? `${Math.max(...before)} s the last time`
    : 'half a minute on two idle processors, two minutes on busy ones'
  console.log(`· building the ${names.join(' and the ')}: ${expected}`)
  const beganAt = Date.now()
  const seconds = () => Math.round((Date.now() - beganAt) / 1000)
  const timer = setInterval(() => process.stdout.isTTY && process.stdout.write(`\r  ${seconds()} s `), 1000)
  return (/** @type {string} */ word) => {
    clearInterval(timer)
    if (process.stdout.isTTY) process.stdout.write('\r')
    console.log(`  ${word} after ${seconds()} s`)
  }
}

/** @param {keyof typeof targets} name @param {boolean} quiet */
async function build(name, quiet) {
  const beganAt = Date.now()
  const { sources, command } = targets[name]
  const print = fingerprint(sources)
  const { code, output } = await run('npm', [...command, '--silent'], { quiet })
  if (code !== 0) throw new Error(`The ${name} could not be built.\n${output}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}-seconds`), String(Math.ceil((Date.now() - beganAt) / 1000)))
  writeFileSync(join(folder, name), print)
}

/**
 * Builds the library and the server, each only when its sources changed since this function last built it:
 * contents are compared, because a checkout says nothing true about times.
 * @param {{ only?: (keyof typeof targets)[], force?: boolean }} [options]
 */
export function ensureBuilt(options) {
  // Steps that run side by side would build into what the other reads.
  const done = building.then(() => buildMissing(options))
  building = done.catch(() => {})
  return done
}

/** @type {Promise<void>} */
let building = Promise.resolve()

/** @param {{ only?: (keyof typeof targets)[], force?: boolean }} [options] */
async function buildMissing({ only = ['library', 'server'], force = false } = {}) {
  const missing = only.filter((name) => {
    const { sources, outputs } = targets[name]
    const isThere = outputs.every((output) => existsSync(join(root, output)))
    return force || !isThere || readText(join(folder, name)) !== fingerprint(sources)
  })
  if (missing.length === 0) return
  const end = tellBuild(missing)
  try {
    // Sizes and hashes are for who builds, not for who starts the demo.
    await Promise.all(missing.map((name) => label.run(name, () => build(name, !force))))
    end('built')
  } catch (error) {
    end('failed')
    throw error
  }
}

// Names that only the files of the core say to each other: in no public type, never stored, sent, told to other tabs or
// read from the page. The build makes a letter or two of each. A name that is missing here is only longer.
import { readFileSync, readdirSync } from 'node:fs'
import { domprops } from '../node_modules/terser/tools/domprops.js'

const src = new URL('../src/', import.meta.url)
const read = (/** @type {string} */ file) =>
  readFileSync(new URL(file, src), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*| from '.*'/g, '')

const files = ['core', 'entries', 'adapters', 'plugins'].flatMap((folder) =>
  readdirSync(new URL(folder, src))
    // The overlay, in a folder of its own, is not in one file with any of it.
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`),
)

/** Whose fields are inner ones, as a rule: the interface, by its file. */
const interfaces = {
  'records.ts': ['Payload', 'EventRecord', 'Ended', 'Attempt', 'Call'],
  'contract.ts': ['Answer'],
  'database.ts': ['Database'],
  'receipt.ts': ['Receipt'],
  'browser.ts': ['Browser'],
}

/** Fields only in the worker, elsewhere variables (`build/flatten.mjs`): they get the letters that are left. */
const isLast = (/** @type {string} */ name) => Number(fieldsOf('browser.ts', 'Browser').includes(name))

const fieldsOf = (/** @type {string} */ file, /** @type {string} */ name) => {
  const body = read(`core/${file}`)
    .split(new RegExp(`(?:interface|class) ${name}\\b.*\\{\\n`))[1]
    ?.split('\n}')[0]
  if (!body) throw new Error(`src/core/${file} has no interface ${name}`)
  return [...body.matchAll(/^ {2}(?:readonly |declare )?(\w+)\??[:(<]/gm)].map(([, field]) => field)
}

/** What is written in quotes somewhere may be read by that name; what is in a public type is the world's. */
const spoken = new Set([
  ...((read('core/types.ts') + read('core/calls.ts')).match(/\w+/g) ?? []),
  ...files.flatMap((file) =>
    (read(file).match(/'[^'\n]*'/g) ?? []).flatMap((text) => text.match(/\w+/g) ?? []),
  ),
  // Stored, and told to other tabs (`Settings`, `Session`, `Note`, `News['tab']`).
  ...fieldsOf('settings.ts', 'Settings'),
  ...fieldsOf('settings.ts', 'Session'),
  ...fieldsOf('visitor.ts', 'Note'),
  ...['ask', 'here', 'change', 'chosen', 'done'],
])

/** What the DOM has under these names the core never asks for; in quotes they are values. */
const ours = 'after browser channel database items key listeners lost openDatabase run tabs'.split(' ')

const world = new Set([...spoken, ...domprops].filter((name) => !ours.includes(name)))

const words = files.flatMap((file) => read(file).match(/\w+/g) ?? [])
const usesOf = (/** @type {string} */ name) => words.filter((word) => word === name).length

/** Those that are used most come first. */
export const innerNames = [
  ...new Set(
    Object.entries(interfaces).flatMap(([file, names]) => names.flatMap((name) => fieldsOf(file, name))),
  ),
]
  .filter((name) => !world.has(name))
  .toSorted((a, b) => isLast(a) - isLast(b) || usesOf(b) - usesOf(a))

/** In the order in which minified code has them most. */
const letters = 'etnriaoscludfpmhgvybxwSCkTEANPMODRIjzBqLFHUWVGKXYJZQ'

/** What the build calls each: one letter, and two for the rare ones, none of which is a word. */
export const shortNames = new Map(
  innerNames.map((name, i) => [name, letters[i] ?? `${letters[i - letters.length]}z`]),
)

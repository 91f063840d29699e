import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

// Calls go down, news goes up (docs/architecture.md): a file imports only what stands before it in these lists. An
// import of a type counts like any other.

/** The files of the core: from what knows nothing of waymark to the public object. */
const core = [
  ...[
    'calls',
    'plan',
    'ownNames',
    'types',
    'maybe',
    'json',
    'ids',
    'backOff',
    'config',
    'receipt',
    'urls',
    'contract',
  ],
  ...['database', 'browser', 'settings', 'records', 'instance', 'session', 'signals', 'tabs', 'plugins'],
  ...['disk', 'visitor', 'queue', 'transport', 'handOff', 'claim', 'consent', 'delivery'],
  ...['capture', 'page', 'waymark'],
]

/** What each folder may import besides its own files. Only `core` has an order inside. */
const library: Record<string, RegExp> = {
  core: /^$/,
  // A plugin sees `Host` and never the instance; it shares the checks of names, values and options with the core.
  plugins: /^core\/(types|maybe|json|contract|config|ownNames)$/,
  entries: /^core\/|^plugins\/(pageviews|checks)$/,
  // An adapter takes the main entry by its name, so that the library is not in the page twice.
  adapters: /^core\/types$|^entries\/index$/,
  lakehouse: /^$/,
  command: /^core\/(plan|ownNames)$|^lakehouse\//,
  // A server reads what plugins of the page have written, and knows the same bots.
  node: /^core\/|^plugins\/(requestIds|knownBots)$/,
}

const root = new URL('..', import.meta.url)

/** What each file of a folder imports, by paths from that folder and without their endings. */
const readImports = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => {
      const text = readFileSync(new URL(`${folder}/${path}`, root), 'utf8')
      const named = [...text.matchAll(/(?:\bfrom |\bimport |\bimport\()'(\.[^']+)'/g)]
      return {
        file: path.replace(/\.tsx?$/, ''),
        imports: named.map(([, to]) => posix.join(posix.dirname(path), to!).replace(/\.[jt]s$/, '')),
      }
    })
const folderOf = (file: string) => file.split('/')[0]!

describe('the library', () => {
  const files = readImports('src')

  it('has every file of the core in the list', () => {
    const found = files.map(({ file }) => file).filter((file) => folderOf(file) === 'core')
    expect(found.toSorted()).toEqual(core.map((name) => `core/${name}`).toSorted())
  })

  it.each(files)('lets $file import only what stands before it', ({ file, imports }) => {
    const folder = folderOf(file)
    const place = core.indexOf(file.slice('core/'.length))
    const before = core.slice(0, place).map((name) => `core/${name}`)
    const wrong = imports.filter((to) =>
      folder === folderOf(to) ? folder === 'core' && !before.includes(to) : !library[folder]?.test(to),
    )
    expect(wrong).toEqual([])
  })
})

describe('the service and its screens', () => {
  it.each(['server/src', 'server/screens/src'])('in %s no two folders import each other', (source) => {
    const edges = new Set(
      readImports(source).flatMap(({ file, imports }) =>
        imports
          .filter((to) => [file, to].every((path) => path.includes('/')) && folderOf(to) !== folderOf(file))
          .map((to) => `${folderOf(file)} ${folderOf(to)}`),
      ),
    )
    expect(edges.size).toBeGreaterThan(5)
    const isBothWays = (edge: string) => {
      const [from = '', to = ''] = edge.split(' ')
      return from < to && edges.has(`${to} ${from}`)
    }
    expect([...edges].filter(isBothWays)).toEqual([])
  })
})

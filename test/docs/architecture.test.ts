import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exists, pathOf, read } from './pages'

// Notation of the page: `file.ts` is a file, with as much of its path as makes it the only one; `file.ts` (`name`) also
// says that the file exports `name`, several with commas between; `Class.method` is a method of an exported class.
const page = read('docs/architecture.md')

const sources = ['src', 'server/src'].flatMap((folder) =>
  readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
)
const sourcesOf = (file: string) => sources.filter((path) => `/${path}`.endsWith(`/${file}`))

const isExported = (source: string, name: string): boolean => {
  const [owner = '', method] = name.split('.')
  if (method) {
    const body = new RegExp(`^export class ${owner}\\b[^]*?^}`, 'm').exec(source)?.[0] ?? ''
    return new RegExp(`^ {2}(async )?(get )?${method}\\(`, 'm').test(body)
  }
  const kinds = 'const|class|interface|type|(async )?function\\*?'
  return new RegExp(`^export (${kinds}) ${name}\\b|^export \\{[^}]*\\b${name}\\b`, 'm').test(source)
}

describe('docs/architecture.md', () => {
  const pattern = /`(?<file>[\w./-]+\.ts)`(?: \((?<names>`[\w.]+`(?:, `[\w.]+`)*)\))?/g
  const pointers = [...page.matchAll(pattern)].map(({ groups }) => ({
    file: groups!.file!,
    names: [...(groups!.names ?? '').matchAll(/[\w.]+/g)].map(([name]) => name),
  }))
  const files = [...new Set(pointers.map(({ file }) => file))]
  const places = pointers.flatMap(({ file, names }) => names.map((name) => ({ file, name })))
  const questions = page.match(/^\| .+\? \| .*`[\w./-]+\.ts` \(/gm) ?? []

  it.each(files)('names one file that exists: %s', (file) => {
    if (file.startsWith('test/')) expect(exists(file)).toBe(true)
    else expect(sourcesOf(file)).toHaveLength(1)
  })

  it.each(places)('says that $file exports $name, which it does', ({ file, name }) => {
    expect(isExported(read(sourcesOf(file)[0]!), name)).toBe(true)
  })

  it('answers "where do I look for …" with a file and what it exports', () => {
    expect(questions.length).toBeGreaterThanOrEqual(25)
  })

  it('names every folder of the service', () => {
    const table = page.split('| folder of `server/src` |')[1]!
    const folders = readdirSync(pathOf('server/src'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    )
    for (const { name } of folders) expect(table).toContain(`\`${name}\``)
  })
})

describe('the notation of docs/architecture.md', () => {
  it('takes for exported only what is', () => {
    const source = 'export class Log {\n  async append() {}\n}\nconst inner = 1\nexport const read = 1\n'
    expect(['Log', 'Log.append', 'read'].filter((name) => !isExported(source, name))).toEqual([])
    expect(['Log.read', 'inner', 'rea', 'append'].filter((name) => isExported(source, name))).toEqual([])
  })
})

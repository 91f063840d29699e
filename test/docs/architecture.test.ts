import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { pathOf, read } from './pages'

const page = read('docs/architecture.md')
const sources = ['src', 'server/src'].flatMap((folder) =>
  readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
)
const sourceOf = (file: string) => sources.find((path) => path.endsWith(`/${file}`))

describe('docs/architecture.md', () => {
  const files = [...new Set([...page.matchAll(/`([\w-]+\.ts)`/g)].map(([, file]) => file!))]
  const places = [...page.matchAll(/`(\w+)` (?:of|in) `([\w-]+\.ts)`/g)].map(([, name, file]) => ({
    name: name!,
    file: file!,
  }))

  it.each(files)('names a file that exists: %s', (file) => expect(sourceOf(file)).toBeDefined())

  it.each(places)('says that $name is in $file, where it is', ({ name, file }) => {
    const defined = new RegExp(`\\b(const|class|function) ${name}\\b|^  ${name}[,(:]`, 'm')
    expect(read(sourceOf(file)!)).toMatch(defined)
  })
})

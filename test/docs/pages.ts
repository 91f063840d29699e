import { existsSync, readdirSync, readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

export const pathOf = (path: string) => new URL(path, root)
export const exists = (path: string) => existsSync(pathOf(path))
export const read = (path: string) => readFileSync(pathOf(path), 'utf8')

/** Every page that a reader may open. */
export const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(pathOf('docs/'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export interface Block {
  /** Where it stands: `docs/library.md:42`. */
  at: string
  page: string
  language: string
  code: string
}

export const blocks: Block[] = pages.flatMap((page) => {
  const text = read(page)
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }) => ({
    at: `${page}:${text.slice(0, index).split('\n').length + 1}`,
    page,
    language,
    code,
  }))
})

export const blocksIn = (...languages: string[]) =>
  blocks.filter(({ language }) => languages.includes(language))

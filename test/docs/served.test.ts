import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

it('llms.txt lists every page of the docs, and each is there', () => {
  execFileSync(process.execPath, ['scripts/buildDocs.mjs'], { cwd: root })
  const list = readFileSync(new URL('server/docs/llms.txt', root), 'utf8')
  const listed = [...list.matchAll(/^- \[([^\]]+)\]\(docs\/\1\): ./gm)].map(([, page]) => page)
  const pages = readdirSync(new URL('docs', root)).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )
  expect(new Set(listed)).toEqual(new Set(pages))
  expect(new Set(readdirSync(new URL('server/docs', root)))).toEqual(new Set([...pages, 'llms.txt']))
})

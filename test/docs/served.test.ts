import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = new URL('../../', import.meta.url)

it('llms.txt lists every page of the docs, and each is there', () => {
  // A service that another test has started serves those of the build.
  const folder = mkdtempSync(join(tmpdir(), 'waymark-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  execFileSync(process.execPath, ['scripts/buildDocs.mjs', folder], { cwd: root })
  const list = readFileSync(join(folder, 'llms.txt'), 'utf8')
  const listed = [...list.matchAll(/^- \[([^\]]+)\]\(docs\/\1\): ./gm)].map(([, page]) => page)
  const pages = readdirSync(new URL('docs', root)).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )
  expect(new Set(listed)).toEqual(new Set(pages))
  expect(new Set(readdirSync(folder))).toEqual(new Set([...pages, 'llms.txt']))
})

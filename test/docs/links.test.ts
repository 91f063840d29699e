import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exists, pages, read } from './pages'

/** The anchors that GitHub makes of headings. */
const anchorsOf = (page: string): Set<string> => {
  const anchors = new Set<string>()
  const headings = withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)
  for (const { 1: heading = '' } of headings) {
    const usual = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    let anchor = usual
    for (let count = 1; anchors.has(anchor); count++) anchor = `${usual}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

const withoutCode = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, '')

const links = pages.flatMap((page) =>
  [
    ...withoutCode(read(page))
      .replaceAll(/`[^`\n]*`/g, 'code')
      .matchAll(/\]\((?<to>[^)\s]+)\)|\b(?:src|href)="(?<link>[^"]+)"/g),
  ]
    .map(({ groups }) => groups!.to ?? groups!.link!)
    .filter((to) => !/^[a-z]+:/.test(to))
    .map((to) => ({ page, to })),
)

describe('a link', () => {
  it('is found in the pages', () => expect(links.length).toBeGreaterThan(40))

  it.each(links)('leads to something that exists: $to in $page', ({ page, to }) => {
    const [path = '', anchor] = to.split('#')
    const target = path ? normalize(join(dirname(page), path)) : page
    expect(exists(target)).toBe(true)
    if (anchor) expect([...anchorsOf(target)]).toContain(anchor)
  })
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import limits from '../.size-limit.mjs'

it('the sizes in the README are the ones that are checked', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const table = readme.split('| entry | size |')[1]!.split('\n\n')[0]!
  const rows = [...table.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].map(([, name, limit]) => ({ name, limit }))
  expect(rows).toEqual(
    (limits as { name: string; limit: string }[]).map(({ name, limit }) => ({ name, limit })),
  )
})

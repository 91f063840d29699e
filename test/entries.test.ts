import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import limits from '../.size-limit.mjs'
// @ts-expect-error plain JavaScript
import { entries, exported, typesVersions } from '../scripts/entries.mjs'
// @ts-expect-error plain JavaScript
import { innerNames } from '../scripts/innerNames.mjs'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const names: string[] = (entries as { name: string }[])
  .map(({ name }) => name)
  .filter((name) => name !== 'waymark')

describe('the list of entries', () => {
  it('is what package.json exports, in its order', () => {
    const { exports } = JSON.parse(read('package.json'))
    expect(exports).toEqual(exported)
    expect(Object.keys(exports)).toEqual(Object.keys(exported))
  })

  it('is what package.json names for resolvers that know no exports', () => {
    expect(JSON.parse(read('package.json')).typesVersions).toEqual(typesVersions)
  })

  it('is what the README, and for all other entries the cookbook, says of sizes', () => {
    const table = read('README.md').split('| entry | size |')[1]!.split('\n\n')[0]!
    const inReadme = [...table.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].map(
      ([, name, limit]) => `${name} ${limit}`,
    )
    const inCookbook = [...read('docs/cookbook.md').matchAll(/^\|[^|]+\|([^|]+)\| (\d[\d., ]*)\|/gm)].flatMap(
      ([, use, sizes]) => {
        const used = use!.match(/waymark\/[\w-]+/g)!
        const weights = sizes!.trim().split(', ')
        expect(weights, use).toHaveLength(used.length)
        return used.map((name, at) => `${name} ${weights[at]} kB`)
      },
    )
    const measured = (limits as { name: string; limit: string }[]).map(
      ({ name, limit }) => `${name} ${limit}`,
    )
    expect(new Set([...inReadme, ...inCookbook])).toEqual(new Set(measured))
  })

  it('is explained, each with an import or by its name', () => {
    const pages = ['plugins', 'adapters', 'testing', 'node', 'plan', 'cookbook'].map(
      (name) => `docs/${name}.md`,
    )
    const docs = ['README.md', ...pages].map(read).join('')
    for (const name of names) expect(docs).toContain(`waymark/${name}`)
  })
})

describe('the inner names', () => {
  it('are fields of the core, and none that is stored, told to other tabs, sent or public', () => {
    expect(innerNames).toEqual(expect.arrayContaining(['record', 'isStored', 'abortReads', 'strange']))
    for (const name of [
      'consent',
      'session',
      'lastAt',
      'change',
      'accepted',
      'deviceId',
      'status',
      'body',
      'fetch',
    ])
      expect(innerNames).not.toContain(name)
  })
})

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { copySources, toolsOf } from '../scripts/test/clientTools.mjs'

const copy = copySources as (from: string, cwd: string) => void
const wanted = toolsOf as (words: readonly string[]) => { name: string }[]

it('a source that is there no more is compiled no more, and what was made stays', () => {
  const work = mkdtempSync(join(tmpdir(), 'waymark-sources-'))
  const [from, to] = [join(work, 'from'), join(work, 'to')]
  for (const folder of ['from/src', 'to/src', 'to/classes', 'to/node_modules/pg'])
    mkdirSync(join(work, folder), { recursive: true })
  for (const file of ['from/new.go', 'from/src/new.rs', 'to/old.go', 'to/src/old.rs', 'to/clients'])
    writeFileSync(join(work, file), '')
  copy(from, to)
  expect([readdirSync(to), readdirSync(join(to, 'src'))]).toEqual([
    ['clients', 'new.go', 'node_modules', 'src'],
    ['new.rs'],
  ])
  rmSync(work, { recursive: true })
})

it('clients takes words of names, and refuses a word that none has', () => {
  expect(wanted(['pgx', 'Hibernate']).map(({ name }) => name)).toEqual(['Go pgx', 'Hibernate'])
  expect(wanted([]).length).toBeGreaterThan(30)
  expect(() => wanted(['pgx', 'pgxx'])).toThrow('There is no tool pgxx: psql, ')
})

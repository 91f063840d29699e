import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readRecords } from '../../src/upload/readRecords.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-records-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const read = (text: string, checkNames: (names: readonly string[]) => void = () => undefined) => {
  const file = join(folder, 'records')
  writeFileSync(file, text)
  return readRecords(file, checkNames)
}

it.each([
  ['{"a":{"a":1,"b":[{"b":1}]},"c":"\\"c\\":","d":1,"\\u0064":2}', 'd'],
  [`{"a":"${'x'.repeat(15_000_000)}","b":1,"b":2}`, 'b'],
])('names the field that a record has twice, %#', async (text, name) => {
  await expect(read(text)).rejects.toThrow(`Record 1 names the field "${name}" twice.`)
})

it('stops reading where the fields are too many', async () => {
  const records = Array.from({ length: 100_000 }, (_, n) => JSON.stringify({ [`name${n}`]: 'value' }))
  const check = (names: readonly string[]) => {
    if (names.length > 1000) throw new Error('too many')
  }
  await expect(read(`${records.join('\n')}\nno JSON`, check)).rejects.toThrow('too many')
})

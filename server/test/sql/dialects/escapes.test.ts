import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dialectNames } from '../../../src/sql/dialects/readDialect.js'
import { createService, type Service } from '../../fixtures/createService.js'
import { fileAccesses, fileReads, hidden, refusedCalls, settings, several, writes } from '../guard/escapes.js'

let service: Service
let statements: string[]
beforeAll(async () => {
  service = await createService()
  await service.query('CREATE TABLE mine (a INT)')
  await service.query('CREATE TABLE kept AS SELECT 1 AS n')
  const temp = join(service.folder, 'temp')
  mkdirSync(temp, { recursive: true })
  writeFileSync(join(temp, 'spilled.csv'), 'secret\n1\n')
  const files = [...fileAccesses(service.folder), ...fileReads(`${temp}/spilled.csv`)]
  statements = [...writes, ...files, ...settings, ...several, ...hidden, ...refusedCalls]
})
afterAll(() => service.close())

let tries = 0
it.each(dialectNames)('what the guard refuses it refuses in %s, too', async (dialect) => {
  const run: string[] = []
  for (const statement of statements) {
    tries++
    const { status, head, rows } = await service.query(statement, { dialect })
    if (status === 200) run.push(`${statement} => ${head['statement']} => ${JSON.stringify(rows)}`)
  }
  expect(run).toEqual([])
  expect((await service.query('SELECT count(*) FROM mine')).rows).toEqual([[0]])
})

it('so many tries were made', () => {
  expect(tries).toBe(dialectNames.length * statements.length)
  expect(statements.length).toBeGreaterThan(170)
})

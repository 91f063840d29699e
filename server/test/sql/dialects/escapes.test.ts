import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dialectNames } from '../../../src/sql/dialects/dialects.js'
import { createService, type Service } from '../../fixtures/createService.js'
import { fileAccesses, fileReads, hidden, refusedCalls, settings, several, writes } from '../guard/escapes.js'
import { share } from '../../fixtures/share.js'

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

/** What the translator makes of some of them, and why they may run. */
const harmless = [
  // A variable has a setting's name.
  /^SET VARIABLE (threads|lock_configuration|profiling_output) = /,
  // It hides the paths.
  /^PRAGMA database_list$/,
  // A view of the user's own, in the lakehouse.
  /^CREATE OR REPLACE VIEW main\.events AS SELECT 1$/,
  // The type was lost on the way.
  /^SELECT CAST\(1 AS TEXT\)$/,
]

it.each(dialectNames)('what the guard refuses it refuses in %s, too', async (dialect) => {
  // Another dialect may have made it, and then its owner may drop it.
  await service.query('DROP VIEW IF EXISTS lakehouse.main.events')
  const run: string[] = []
  for (const statement of share(statements, dialectNames.indexOf(dialect))) {
    const { status, head, rows } = await service.query(statement, { dialect })
    if (status === 400) continue
    const translated = String(head['statement'])
    if (harmless.some((form) => form.test(translated)))
      expect(JSON.stringify(rows)).not.toMatch(/secret|\/tmp/)
    else run.push(`${status}: ${statement} => ${translated}`)
  }
  expect(run).toEqual([])
  expect((await service.query('SELECT count(*) FROM mine')).rows).toEqual([[0]])
})

it('there are many of them', () => {
  expect(statements.length).toBeGreaterThan(170)
})

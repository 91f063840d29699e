import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, type Body, createService, type Service } from '../../fixtures/createService.js'
import { spawnService, urlIn } from '../../fixtures/spawnService.js'

describe('a process that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-types-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('opens its store again, whatever types were made and used', async () => {
    const flags = ['--port', '0', '--data', folder, '--quiet', '--users', 'ada:lovelace']
    const first = spawnService(flags, { direct: true })
    const url = urlIn(await first.ready)
    const statuses: number[] = []
    for (const statement of [
      'CREATE SCHEMA s2',
      `CREATE TYPE s2.mood AS ENUM('a')`,
      'CREATE TYPE s2.pair AS STRUCT(a INT, b INT)',
      `CREATE TYPE main.mood AS ENUM('a')`,
      'CREATE TABLE s2.t (m mood)',
      `INSERT INTO s2.t VALUES ('a')`,
      'CREATE MACRO twice(x) AS x * 2',
      'CREATE TABLE altered (a VARCHAR, b INT)',
      'ALTER TABLE altered ALTER a TYPE mood',
      'ALTER TABLE altered ALTER a TYPE lakehouse.main.mood',
      'ALTER TABLE altered ALTER b TYPE BIGINT USING twice(b)',
    ]) {
      const body = JSON.stringify({ statement })
      const answer = await fetch(`${url}/query`, { method: 'POST', headers: { authorization: basic }, body })
      statuses.push(answer.status)
      await answer.text()
    }
    expect(statuses).toEqual([200, 400, 400, 200, 200, 200, 200, 200, 400, 200, 400])
    first.kill('SIGKILL')
    await first.ended
    const service = await createService({ dataFolder: folder })
    expect((await service.query('FROM s2.t')).rows).toEqual([['a']])
    await service.stop()
  })
})

describe('CREATE TYPE', () => {
  let service: Service
  beforeAll(async () => {
    service = await createService()
    await service.query('CREATE SCHEMA s2')
  })
  afterAll(() => service.close())

  it.each<[string, Body]>([
    [`CREATE TYPE s2.t1 AS ENUM('a')`, {}],
    [`CREATE TYPE "S2".t1 AS ENUM('a')`, {}],
    [`CREATE TYPE lakehouse.s2.t1 AS INTEGER`, {}],
    [`CREATE OR REPLACE TYPE s2.t1 AS INTEGER`, {}],
    [`CREATE TYPE IF NOT EXISTS t1 AS INTEGER`, { schema: 's2' }],
    [`EXPLAIN ANALYZE CREATE TYPE s2.t1 AS INTEGER`, {}],
    [`CREATE /* a */ TYPE -- b\n s2 . t1 AS INTEGER`, {}],
  ])('outside of main is refused, and the message says where it can be made: %s', async (statement, more) => {
    const { status, error } = await service.query(statement, more)
    expect(status).toBe(400)
    expect(error?.['message']).toContain('CREATE TYPE main.t1')
    const { body } = await service.ask('/validate', { statement, ...more })
    expect(body).toMatchObject({ valid: false, error: expect.stringContaining('main.t1') })
  })

  it('outside of main is refused after USE too', async () => {
    await service.query('USE s2', { session_id: 'u' })
    expect((await service.query('CREATE TYPE t1 AS INTEGER', { session_id: 'u' })).status).toBe(400)
  })

  it.each([
    'CREATE TYPE in_main AS INTEGER',
    'CREATE TYPE main.in_main_2 AS INTEGER',
    'CREATE TYPE lakehouse.in_main_3 AS INTEGER',
    'CREATE TYPE lakehouse.main.in_main_4 AS INTEGER',
    'CREATE TEMP TYPE passing AS INTEGER',
  ])('in main goes on working: %s', async (statement) => {
    expect(await service.query(statement)).toMatchObject({ status: 200 })
  })
})

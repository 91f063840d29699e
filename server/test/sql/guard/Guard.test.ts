import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { tokenize } from '../../../src/sql/text/tokenize.js'
import { basic } from '../../fixtures/createService.js'
import { useService } from '../../fixtures/useService.js'
import { fileAccesses, fileReads, hidden, settings, several, writes } from './escapes.js'

const service = useService()
beforeAll(async () => {
  await service.query('CREATE TABLE mine (a INT)')
  mkdirSync(join(service.folder, 'temp'), { recursive: true })
  writeFileSync(join(service.folder, 'temp', 'spilled.csv'), 'secret\n1\n')
})

describe('user SQL', () => {
  it.each(writes)('writes nowhere but in the lakehouse: %s', async (statement) => {
    expect(await service.query(statement)).toMatchObject({
      status: 400,
      error: { error: expect.any(String) },
    })
    expect((await service.query('SELECT count(*) >= 0 FROM events')).status).toBe(200)
  })

  it.each(['waymark_internal', 'Waymark_Internal'])(
    "does not enter the service's own schema by a field: %s",
    async (schema) => {
      const message = expect.stringContaining('belongs to the service')
      for (const statement of ['DELETE FROM position', 'SELECT * FROM rejected', 'SELECT 1']) {
        expect(await service.query(statement, { schema })).toMatchObject({ status: 400, error: { message } })
        for (const path of ['/validate', '/explain', '/autocomplete']) {
          const answer = await service.ask(path, { statement, schema })
          expect(answer, path).toMatchObject({ status: 400, body: { message } })
        }
      }
    },
  )

  it('reads and writes no file, nor finds one', async () => {
    for (const statement of fileAccesses(service.folder)) {
      expect(await service.query(statement), statement).toMatchObject({ status: 400 })
    }
    expect(existsSync(join(service.folder, 'temp', 'out.csv'))).toBe(false)
  })

  it('reads no export of another user, whatever the statement calls it', async () => {
    const temp = join(service.folder, 'temp')
    const response = await fetch(`${service.url}/query`, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify({ statement: 'SELECT 42 AS secret', format: 'parquet' }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    for (const name of ['export-a', 'export-b.parquet']) writeFileSync(join(temp, name), bytes)
    for (const file of [
      `${temp}/export-b.parquet`,
      `${temp}/export-*.parquet`,
      `${temp}/export-*[.parquet?]`,
    ]) {
      for (const statement of fileReads(file)) {
        expect(await service.query(statement), statement).toMatchObject({
          status: 400,
          error: { message: expect.stringMatching(/^Files cannot be read here/) },
        })
      }
    }
    expect((await service.query(`FROM "${temp}/export-b".parquet`)).status).toBe(400)
    expect((await service.query(`FROM "${temp}/export-b"."parquet"`)).status).toBe(400)
    expect(readdirSync(temp).filter((name) => /export-.{36}/.test(name))).toEqual([])
  })

  it.each(settings)('neither attaches, loads, nor changes settings: %s', async (statement) => {
    expect(await service.query(statement)).toMatchObject({ status: 400 })
    expect((await service.query('SELECT 1')).rows).toEqual([[1]])
  })

  it.each([
    'EXPLAIN SELECT a FROM mine',
    'EXPLAIN (SELECT (1))',
    'EXPLAIN ANALYZE ((SELECT 1)) UNION SELECT (2) ORDER BY 1',
    'EXPLAIN (ANALYZE, FORMAT JSON) (FROM mine)',
    'EXPLAIN WITH x AS (SELECT 1) FROM x',
    'EXPLAIN VALUES (1)',
    'EXPLAIN SUMMARIZE mine',
    'EXPLAIN ANALYZE CALL range(3)',
    'EXPLAIN INSERT INTO mine VALUES (1)',
    'EXPLAIN CREATE TABLE other (a INT)',
  ])('explains what it would run: %s', async (statement) => {
    expect(await service.query(statement)).toMatchObject({ status: 200 })
  })

  it.each(several)('is one statement: %s', async (statement) => {
    expect((await service.query(statement)).status).toBe(400)
    expect((await service.query('SELECT count(*) FROM mine')).rows).toEqual([[0]])
  })

  it.each(hidden)('cannot hide a call from the guard: %s', async (statement) => {
    expect(await service.query(statement)).toMatchObject({ status: 400 })
    expect((await service.query('SELECT 1')).rows).toEqual([[1]])
  })

  it('may call tables and columns what is refused elsewhere', async () => {
    for (const statement of [
      'CREATE TABLE t0 (secret VARCHAR)',
      'ALTER TABLE mine ADD COLUMN secret INT',
      'ALTER TABLE mine DROP COLUMN secret',
      'CREATE TABLE query(id int PRIMARY KEY)',
      'CREATE TABLE IF NOT EXISTS lakehouse.main.read_text(id int REFERENCES query(id))',
      'CREATE OR REPLACE VIEW read_csv(a) AS SELECT 1',
      'INSERT INTO query(id) VALUES (1)',
      'INSERT INTO main.read_text (id) SELECT 1',
    ]) {
      expect(await service.query(statement), statement).toMatchObject({ status: 200 })
    }
    for (const statement of [
      `CREATE TABLE t1 AS FROM read_text('/etc/hosts')`,
      `INSERT INTO query SELECT 1 FROM read_text('/etc/hosts')`,
      `CREATE VIEW v1(a) AS FROM read_csv('/etc/hosts')`,
    ]) {
      expect(await service.query(statement), statement).toMatchObject({ status: 400 })
    }
  })

  it.each([
    [`SELECT 'read_text(''x'')' AS read_text`, [[`read_text('x')`]]],
    [`SELECT "glob" FROM (SELECT 1 AS glob)`, [[1]]],
    [`SELECT e'a\\'b;c' -- ; COPY`, [[`a'b;c`]]],
    [`SELECT $$;COPY$$ /* ; */`, [[';COPY']]],
    [`SELECT 1 AS "copy;"`, [[1]]],
    [`SELECT 1 AS größe`, [[1]]],
    [`\ufeffSELECT\u00a0'a\u00a0b' AS\u3000x\u00a0`, [['a\u00a0b']]],
    [`SELECT 'a'\n'b', e'c', $ä$d'$ä$ /***/`, [['ab', 'c', "d'"]]],
    [`SELECT 'a/b.csv', '/c.json'`, [['a/b.csv', '/c.json']]],
    [`SELECT 1 AS "a/b.csv"`, [[1]]],
    [`SELECT trim('.' FROM '.a.'), extract(year FROM DATE '2020-01-01')`, [['a', 2020]]],
    [`SELECT 'a.b' IS DISTINCT FROM 'a.c'`, [[true]]],
    [`FROM (VALUES ('a.csv'), ('/b.csv')) SELECT count(*)`, [[2]]],
    [`FROM (FROM range(1) values, range(1) AS set) SELECT 'a.csv', '/b.csv'`, [['a.csv', '/b.csv']]],
    [
      `SELECT 1 FROM range(1) r JOIN range(1) s ON true WHERE 'a.csv' IN ('a.csv', 'b.csv') ORDER BY concat('b', 'c.csv'), 1`,
      [[1]],
    ],
    [`SELECT i FROM unnest(['a.csv', 'b.csv']) u(i)`, [['a.csv'], ['b.csv']]],
  ])('may mention what it does not do: %s', async (statement, rows) => {
    expect(await service.query(statement)).toMatchObject({ status: 200, rows })
  })
})

describe('scanSql', () => {
  it('gives tokens that lie in order within the text, or a problem, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ae\'"$/*- ;(\n\\1.é') }), (sql) => {
        const { tokens } = tokenize(sql)
        let end = 0
        for (const token of tokens) {
          expect(token.start).toBeGreaterThanOrEqual(end)
          expect(token.end).toBeGreaterThan(token.start)
          end = token.end
        }
        expect(end).toBeLessThanOrEqual(sql.length)
      }),
      { numRuns: 2000 },
    )
  })
})

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenize } from '../../../src/sql/guard/tokenize.js'
import { basic, createService, type Service } from '../../fixtures/createService.js'

let service: Service
beforeAll(async () => {
  service = await createService()
  await service.query('CREATE TABLE mine (a INT)')
  mkdirSync(join(service.folder, 'temp'), { recursive: true })
  writeFileSync(join(service.folder, 'temp', 'spilled.csv'), 'secret\n1\n')
})
afterAll(() => service.close())

describe('user SQL', () => {
  it.each([
    'DROP VIEW events',
    'DELETE FROM analytics.raw.events',
    'CREATE OR REPLACE VIEW analytics.main.events AS SELECT 1',
    'DROP TABLE analytics.raw.events',
    'ALTER TABLE analytics.raw.id_map ADD COLUMN x INT',
    'EXPLAIN ANALYZE DELETE FROM analytics.raw.events',
    'CREATE TABLE memory.main.x (a INT)',
    'CREATE SCHEMA analytics.mine',
    'INSERT INTO analytics.raw.position VALUES (0)',
    'DROP SCHEMA waymark_internal CASCADE',
    'UPDATE lakehouse."waymark_internal".position SET applied = 0',
    'CREATE TABLE waymark_internal.x (a INT)',
    'TRUNCATE analytics.raw.events',
    'MERGE INTO analytics.raw.position p USING (SELECT 0 a) s ON true WHEN MATCHED THEN DELETE',
    'COMMENT ON TABLE analytics.raw.events IS 1',
  ])('writes nowhere but in the lakehouse: %s', async (statement) => {
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

  const files = () => [
    `SELECT * FROM read_text('/etc/passwd')`,
    `SELECT * FROM read_csv('${service.folder}/temp/spilled.csv')`,
    `FROM '${service.folder}/temp/spilled.parquet'`,
    `FROM "READ_CSV"('${service.folder}/temp/spilled.csv')`,
    `FROM READ_CSV /* here */ ('${service.folder}/temp/spilled.csv')`,
    `FROM system.main.read_blob('${service.folder}/analytics.duckdb')`,
    `FROM read_duckdb('${service.folder}/analytics.duckdb')`,
    `FROM glob('/*')`,
    `FROM sniff_csv('${service.folder}/temp/spilled.csv')`,
    `FROM parquet_metadata('${service.folder}/temp/x')`,
    `COPY (SELECT 1) TO '${service.folder}/temp/out.csv'`,
    `EXPLAIN ANALYZE COPY (SELECT 1) TO '${service.folder}/temp/out.csv'`,
    `EXPLAIN (FORMAT JSON, ANALYZE) COPY mine TO '${service.folder}/temp/out.csv'`,
    `EXPLAIN (ANALYZE ")") COPY mine TO '${service.folder}/temp/out.csv'`,
    `COPY mine FROM '/etc/passwd'`,
    `EXPORT DATABASE '${service.folder}/temp/out'`,
    `IMPORT DATABASE '${service.folder}/temp/out'`,
    `CREATE VIEW v AS FROM read_csv('${service.folder}/temp/spilled.csv')`,
    `CREATE MACRO m(x) AS TABLE FROM read_csv(x)`,
    `CREATE TABLE t AS FROM read_json('/etc/hosts')`,
    `FROM sql_auto_complete('SELECT ')`,
    `FROM query('FROM read_text(''/etc/passwd'')')`,
    `FROM json_execute_serialized_sql('{}')`,
    `INSERT INTO mine SELECT 1 FROM read_text('/etc/passwd')`,
  ]
  it('reads and writes no file, nor finds one', async () => {
    for (const statement of files()) {
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
      for (const statement of [
        `FROM '${file}'`,
        `FROM "${file}"`,
        `FROM $$${file}$$`,
        `FROM e'${file.replaceAll('/', String.raw`\x2f`)}'`,
        `FROM x: '${file}'`,
        `FROM mine, '${file}'`,
        `FROM mine AS set, '${file}'`,
        `FROM mine values(b), '${file}'`,
        `FROM mine JOIN range(1) ON true, '${file}'`,
        `FROM (VALUES (1)) v, "${file}" e`,
        `FROM mine POSITIONAL JOIN '${file}'`,
        `FROM ('${file}' CROSS JOIN mine)`,
        `SELECT extract(year FROM now()), (SELECT secret FROM '${file}')`,
        `SELECT extract(year FROM (SELECT now() FROM '${file}'))`,
        `TABLE '${file}'`,
        `DESCRIBE '${file}'`,
        `SUMMARIZE '${file}'`,
        `SHOW '${file}'`,
        `PIVOT '${file}' ON secret`,
        `UNPIVOT '${file}' ON secret`,
        `FROM histogram('${file}', secret)`,
        `FROM histogram_values('${file}', secret)`,
        `INSERT INTO mine FROM '${file}'`,
        `UPDATE mine SET a = secret FROM '${file}'`,
        `DELETE FROM mine USING '${file}'`,
        `MERGE INTO mine USING '${file}' s ON true WHEN MATCHED THEN DELETE`,
        `CREATE VIEW leak AS FROM '${file}'`,
        `CREATE MACRO leak() AS TABLE FROM '${file}'`,
        `WITH c AS MATERIALIZED (FROM '${file}') FROM c`,
        `EXPLAIN ANALYZE FROM '${file}'`,
      ]) {
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

  it.each([
    `ATTACH ':memory:' AS other`,
    'DETACH lakehouse',
    'INSTALL httpfs',
    'FORCE INSTALL httpfs',
    'LOAD parquet',
    'UPDATE EXTENSIONS',
    'CHECKPOINT',
    'FORCE CHECKPOINT',
    'FROM force_checkpoint()',
    `CALL force_checkpoint('analytics')`,
    'BEGIN',
    'COMMIT',
    'ROLLBACK',
    'PREPARE x AS SELECT 1',
    'EXECUTE x',
    'COPY FROM DATABASE lakehouse TO analytics',
    'CREATE SECRET s (TYPE http)',
    'CREATE OR REPLACE TEMPORARY SECRET (TYPE http)',
    'CREATE SECRET IF NOT EXISTS s (TYPE http)',
    'EXPLAIN ANALYZE CREATE SECRET s (TYPE http)',
    'DROP SECRET IF EXISTS s',
    'DROP SECRET s',
    'FROM duckdb_secrets()',
    `FROM enable_logging('QueryLog', storage = 'file', storage_path = '/tmp/x')`,
    'CALL enable_logging()',
    'PRAGMA enable_profiling',
    'PRAGMA disable_optimizer',
    `SELECT write_log('x')`,
    'SET threads = 100',
    'SET GLOBAL threads = 1',
    'SET GLOBAL worker_threads = 1',
    'RESET threads',
    'PRAGMA threads = 1',
    'SET lock_configuration = false',
    'RESET memory_limit',
    `SET profiling_output = '/tmp/x'`,
    `PRAGMA memory_limit = '1TB'`,
    'VACUUM',
    'EXPLAIN ANALYZE SET GLOBAL threads = 1',
    "EXPLAIN ANALYZE SET search_path = 'analytics.raw'",
    'EXPLAIN ANALYZE RESET threads',
    'EXPLAIN ANALYZE PRAGMA enable_profiling',
    'EXPLAIN (ANALYZE, FORMAT JSON) PRAGMA disable_optimizer',
    'EXPLAIN (ANALYZE ")") CHECKPOINT analytics',
    'EXPLAIN ANALYZE FORCE CHECKPOINT analytics',
    'EXPLAIN ANALYZE VACUUM',
    'EXPLAIN ANALYZE PREPARE x AS INSERT INTO mine VALUES (1)',
    'EXPLAIN ANALYZE EXECUTE x',
    'EXPLAIN ANALYZE COMMIT',
  ])('neither attaches, loads, nor changes settings: %s', async (statement) => {
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

  it.each([
    'SELECT 1; DROP TABLE mine',
    'EXPLAIN SELECT 1; DROP TABLE mine',
    ';;SELECT 1;;DROP TABLE mine;;',
  ])('is one statement: %s', async (statement) => {
    expect((await service.query(statement)).status).toBe(400)
    expect((await service.query('SELECT count(*) FROM mine')).rows).toEqual([[0]])
  })

  it.each([
    `SELECT e'\\'' || enable_logging() --'`,
    `SELECT 1e'\\', enable_logging() --'`,
    `/* /* */ FROM enable_logging() -- */`,
    `SELECT $a$ $b$ $a$, enable_logging() --$b$`,
    `FROM enable_logging\u00a0()`,
    `FROM enable_logging\u200b()`,
    `FROM "enable""_logging"(); `,
    `SELECT 'a''', * FROM enable_logging() --'`,
    // In each of these DuckDB once ran the call, and the guard took it for a part of a text.
    `SELECT e'a'\n'\\' ' || current_setting($$temp_directory$$) || ' -- '\n AS x`,
    `SELECT e'a' -- b\n'\\' ' || current_setting($$temp_directory$$) || ' -- '\n AS x`,
    `SELECT $${'a'.repeat(150)}$ ' $${'a'.repeat(150)}$ || current_setting('temp_directory') -- '`,
    `SELECT 1 /*/*/ ' */ */ || current_setting('temp_directory') -- '`,
    `SELECT 1a$b$, current_setting('temp_directory'), 1a$b$`,
    `SELECT /*'*/ 1 AS y\u00a0$a$, current_setting('temp_directory'), 2 AS z\u00a0$a$ /*'*/`,
    `SELECT e'\\'', 1 AS y\u00a0$a$, current_setting($$temp_directory$$), 2 AS z\u00a0$a$ --'`,
    `SELECT \u2028e'\\' || current_setting($$temp_directory$$) || ' -- '\n AS x`,
  ])('cannot hide a call from the guard: %s', async (statement) => {
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

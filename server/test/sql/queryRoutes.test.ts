import { describe, expect, it } from 'vitest'
import { basic, type Body } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ catalogs: ['lakehouse', 'second'] })

describe('POST /query', () => {
  it('answers a metadata line, a columns line and a line a row', async () => {
    const { head, columns, rows } = await service.query('SELECT i AS n, i::VARCHAR AS t FROM range(3) r(i)')
    expect(head).toEqual({
      statement: 'SELECT i AS n, i::VARCHAR AS t FROM range(3) r(i)',
      rows_limit: null,
      rows_offset: null,
      init_time_ms: expect.any(Number),
      connections_errors: {},
      session_id: expect.any(String),
      query_id: expect.stringMatching(/^[\da-f-]{36}$/),
      worker_slug: expect.any(String),
    })
    expect(columns).toEqual([
      { name: 'n', type: 'BIGINT' },
      { name: 't', type: 'VARCHAR' },
    ])
    expect(rows).toEqual([
      [0, '0'],
      [1, '1'],
      [2, '2'],
    ])
  })

  it('reads events without naming a catalog or schema', async () => {
    await service.ingest('/track?sync=true', [event('one'), event('two'), event('two')])
    const { rows } = await service.query(
      "SELECT event, count(*) FROM events WHERE event IN ('one', 'two') GROUP BY 1 ORDER BY 1",
    )
    expect(rows).toEqual([
      ['one', 1],
      ['two', 2],
    ])
  })

  // Within a second where a batch takes less than that: Applier.test.ts.
  it('shows an event soon after the ok, though nobody waits for it', async () => {
    await service.ingest('/track', event('soon'))
    let found = 0
    while (found === 0) {
      found = (await service.query(`SELECT 1 FROM events WHERE event = 'soon'`)).rows.length
    }
    expect(found).toBe(1)
  })

  it('runs DDL and DML in the lakehouse catalog', async () => {
    await service.query('CREATE TABLE kept AS SELECT 1 AS a')
    expect((await service.query('INSERT INTO kept VALUES (2), (3)')).rows).toEqual([[2]])
    expect((await service.query('UPDATE kept SET a = 9 WHERE a = 3 RETURNING a')).rows).toEqual([[9]])
    expect((await service.query('FROM lakehouse.main.kept ORDER BY a')).rows).toEqual([[1], [2], [9]])
  })

  it('writes to another catalog that the statement names', async () => {
    expect((await service.query('CREATE TABLE second.main.there AS SELECT 5 AS a')).status).toBe(200)
    expect((await service.query('FROM there', { catalog: 'second' })).rows).toEqual([[5]])
  })

  it.each([
    ['VALUES (1), (2)', [[1], [2]]],
    ['FROM range(2)', [[0], [1]]],
    ['SELECT 1 AS a, 2 AS a;', [[1, 2]]],
    ['WITH x AS (SELECT 7) FROM x -- a comment', [[7]]],
    ["DESCRIBE SELECT 'x' AS t", [['t', 'VARCHAR', 'YES', null, null, null]]],
    ["PIVOT (SELECT 'x' AS k, 3 AS v) ON k USING sum(v)", [[3]]],
    ['PRAGMA database_list', expect.arrayContaining([expect.arrayContaining(['lakehouse'])])],
    ['SELECT i FROM range(3) r(i) ORDER BY i DESC', [[2], [1], [0]]],
    ['SET VARIABLE x = 5', []],
    ['SELECT * FROM query_log WHERE false; /* trailing */', undefined],
  ])('runs %s', async (statement, rows) => {
    const answer = await service.query(statement)
    if (rows === undefined) expect(answer.status).toBe(400)
    else expect(answer).toMatchObject({ status: 200, rows })
  })

  it('pivots into tables, and leaves the session usable when a pivot is wrong', async () => {
    const session_id = 'pivoting'
    const ask = (statement: string, more: Body = {}) => service.query(statement, { session_id, ...more })
    await ask(`CREATE TABLE sold AS FROM (VALUES ('a', 1), ('b', 2)) t(k, v)`)
    expect((await ask('CREATE TABLE wide AS PIVOT sold ON k USING sum(v)')).status).toBe(200)
    expect((await ask('INSERT INTO wide PIVOT sold ON k USING sum(v)')).rows).toEqual([[1]])
    expect((await ask('FROM wide')).rows).toEqual([
      [1, 2],
      [1, 2],
    ])
    for (const path of ['/validate', '/explain']) {
      await service.ask(path, { statement: 'PIVOT sold ON k USING sum(nope)', session_id })
    }
    expect((await ask('PIVOT sold ON k USING sum(nope)')).status).toBe(400)
    expect((await ask('PIVOT sold ON k USING sum(v)', { sanitize: true, limit: 1 })).rows).toEqual([[1, 2]])
    expect((await ask('EXPLAIN PIVOT sold ON k USING sum(v)')).status).toBe(200)
    expect(await ask('CREATE VIEW pivoted AS PIVOT sold ON k USING sum(v)')).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('ON k IN (') },
    })
    const { bytes } = await service.download('PIVOT sold ON k USING sum(v)', { format: 'parquet' })
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1')
  })

  it('says how to add a column with a default that must be computed', async () => {
    await service.query('CREATE TABLE grows (a INT)')
    const { status, error } = await service.query('ALTER TABLE grows ADD COLUMN b INT DEFAULT 5 + 1')
    expect(status).toBe(400)
    expect(error?.['message']).toContain('SET DEFAULT')
  })

  it('shows the statement that was sent when a row cannot be made', async () => {
    const { error } = await service.query('SELECT i::VARCHAR::DATE FROM range(5) r(i)')
    expect(error?.['message']).toContain('LINE 1: SELECT i::VARCHAR::DATE')
    expect(error?.['message']).not.toContain('EXPLAIN')
  })

  it('explains', async () => {
    expect((await service.query('EXPLAIN SELECT 1')).rows[0]?.[0]).toBe('physical_plan')
  })

  it.each([
    'SELEC 1',
    'SELECT * FROM nowhere',
    'SELECT 1; SELECT 2',
    '',
    ';',
    '-- nothing',
    'SELECT $1',
    'SELECT 1 FROM',
  ])('answers 400 with a message to %j', async (statement) => {
    const { status, error } = await service.query(statement)
    expect(status).toBe(400)
    expect(error).toEqual({ error: 'invalid-statement', message: expect.stringMatching(/\w/) })
  })

  it('answers 401 without the right credentials', async () => {
    for (const authorization of [undefined, 'Basic', 'Basic YTpi', 'Bearer key-1']) {
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await service.send('POST', '/query', '{"statement":"SELECT 1"}', headers)
      expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
      expect(answer.headers.get('www-authenticate')).toContain('Basic')
    }
  })
})

describe('the catalog and schema of a request', () => {
  it.each(['second', 'Second', 'SECOND'])('are found as %s', async (catalog) => {
    await service.query('CREATE TABLE IF NOT EXISTS second.main.cased AS SELECT 6 AS a')
    expect((await service.query('FROM CASED', { catalog, schema: 'MAIN' })).rows).toEqual([[6]])
    expect((await service.ask('/validate', { statement: 'FROM cased', catalog })).body['valid']).toBe(true)
  })

  it.each([{ schema: '' }, { catalog: '' }, { catalog: 'second', schema: '' }])(
    'are refused in words when they are empty: %j',
    async (place) => {
      for (const path of ['/query', '/validate', '/explain', '/autocomplete']) {
        const { status, body } = await service.ask(path, { statement: 'SELECT 1', ...place })
        expect(status).toBe(400)
        expect(body['message']).toMatch(/^(catalog|schema) is empty\. /)
      }
    },
  )
})

describe('messages', () => {
  const emoji = '😀'.repeat(300)
  const halfACharacter = /\p{Surrogate}/u

  it.each([
    ['dialect', { dialect: emoji }],
    ['dialect', { dialect: `a${emoji}` }],
    ['catalog', { catalog: emoji }],
    ['catalog', { catalog: `a${emoji}` }],
    ['statement', { statement: `FROM './${emoji}.csv'` }],
    ['statement', { statement: `FROM './a${emoji}.csv'` }],
    ...[0, 1, 2, 3].map((n): [string, Body] => [
      'statement',
      { statement: `SELECT '${'a'.repeat(n)}${emoji}'::JSON` },
    ]),
  ])('cut no character in half: a long %s, %j', async (_, more) => {
    const { status, error } = await service.query('SELECT 1', more)
    expect(status).toBe(400)
    const message = String(error?.['message'])
    expect(message).toContain('😀')
    expect(message).not.toContain('\uFFFD')
    expect(message).not.toMatch(halfACharacter)
  })

  it('about a body that is no JSON cut none either', async () => {
    const headers = { authorization: basic }
    for (const body of [`{"statement": ${emoji}}`, `{"statement": "a"${emoji}`]) {
      const answer = await service.send('POST', '/query', body, headers)
      expect(String(answer.body['message'])).not.toMatch(halfACharacter)
    }
  })
})

describe('the places of files', () => {
  it('are not shown by PRAGMA database_list, which lists the catalogs', async () => {
    for (const statement of ['PRAGMA database_list', 'pragma DATABASE_LIST;']) {
      const { columns, rows } = await service.query(statement)
      expect(columns.map(({ name }) => name)).toEqual(['seq', 'name', 'file'])
      expect(rows.map(([, name]) => name)).toEqual(
        expect.arrayContaining(['analytics', 'lakehouse', 'second']),
      )
      expect(rows.map(([, , file]) => file)).toEqual(rows.map(() => null))
    }
  })

  it.each([
    'FROM main.duckdb_databases()',
    'FROM system.main.duckdb_databases()',
    'FROM "duckdb_databases"()',
    'CALL duckdb_databases()',
    'FROM duckdb_databases',
    'FROM "duckdb_databases"',
    'SUMMARIZE duckdb_databases',
    'FROM pragma_database_list',
    'FROM pg_catalog.pg_settings',
    `SELECT current_setting('temp_directory')`,
    `SELECT current_setting('secret_' || 'directory')`,
    `SELECT "current_setting"(e'temp_directory')`,
    'PRAGMA database_list()',
    'FROM duckdb_settings()',
  ])('are not shown by %s', async (statement) => {
    const { status, error } = await service.query(statement)
    expect(status).toBe(400)
    expect(JSON.stringify(error)).not.toContain(service.folder)
  })

  it('have nothing to do with the settings that may be read', async () => {
    const { rows } = await service.query(`SELECT current_setting('TimeZone')`, { timezone: 'Asia/Tokyo' })
    expect(rows).toEqual([['Asia/Tokyo']])
    expect((await service.query('SHOW DATABASES')).rows).toContainEqual(['lakehouse'])
  })
})

describe('limit and offset', () => {
  it('cut the rows and are told in the metadata', async () => {
    const { head, rows } = await service.query('SELECT i FROM range(10) r(i) ORDER BY i DESC', {
      limit: 2,
      offset: 3,
    })
    expect(head).toMatchObject({ rows_limit: 2, rows_offset: 3 })
    expect(rows).toEqual([[6], [5]])
  })

  it('cut what a change gives back, not the change', async () => {
    await service.query('CREATE TABLE cut_me AS SELECT i FROM range(5) r(i)')
    const { rows } = await service.query('UPDATE cut_me SET i = i + 10 RETURNING i', { limit: 1, offset: 1 })
    expect(rows).toHaveLength(1)
    expect((await service.query('SELECT count(*) FROM cut_me WHERE i >= 10')).rows).toEqual([[5]])
  })

  it('may be zero', async () => {
    expect((await service.query('FROM range(5)', { limit: 0 })).rows).toEqual([])
  })

  it('sanitize limits the rows when no limit is given', async () => {
    const { head, rows } = await service.query('FROM range(20000)', { sanitize: true })
    expect(head['rows_limit']).toBe(10_000)
    expect(rows).toHaveLength(10_000)
    expect((await service.query('FROM range(50)', { sanitize: true, limit: 20 })).rows).toHaveLength(20)
  })

  it('sanitize refuses what it cannot limit, before it runs', async () => {
    await service.query('CREATE TABLE sane AS SELECT 1 AS a')
    expect(await service.query('DELETE FROM sane', { sanitize: true })).toMatchObject({
      status: 400,
      error: { error: 'not-sanitizable' },
    })
    expect((await service.query('SELECT count(*) FROM sane')).rows).toEqual([[1]])
  })
})

describe('format', () => {
  const statement = `SELECT 1 AS a, 'x,"y"' AS "b c", NULL AS c, '' AS d, 1.5::DOUBLE AS e UNION ALL SELECT 2, 'z', 3, 'w', 'nan'::DOUBLE`

  it('csv has a header and quotes where it must', async () => {
    const { type, bytes } = await service.download(statement, { format: 'csv' })
    expect(type).toContain('text/csv')
    expect(bytes.toString()).toBe('a,b c,c,d,e\n1,"x,""y""",,"",1.5\n2,z,3,w,nan\n')
  })

  it('jsonl has one object a row', async () => {
    const { bytes } = await service.download(statement, { format: 'jsonl' })
    expect(
      bytes
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { a: 1, 'b c': 'x,"y"', c: null, d: '', e: 1.5 },
      { a: 2, 'b c': 'z', c: 3, d: 'w', e: null },
    ])
  })

  it('parquet is a Parquet file, also with names that are there twice', async () => {
    const { type, bytes } = await service.download('SELECT i AS a, i AS a FROM range(5000) r(i)', {
      format: 'parquet',
      limit: 100,
    })
    expect(type).toBe('application/vnd.apache.parquet')
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1')
    expect(bytes.subarray(-4).toString()).toBe('PAR1')
  })

  it.each(['csv', 'jsonl'])('%s writes what a change gives back', async (format) => {
    await service.query(`CREATE TABLE format_${format} (a INT, t VARCHAR)`)
    const { bytes } = await service.download(`INSERT INTO format_${format} VALUES (1, 'x,y') RETURNING *`, {
      format,
    })
    expect(bytes.toString()).toBe(format === 'csv' ? 'a,t\n1,"x,y"\n' : '{"a":1,"t":"x,y"}\n')
  })

  it.each([
    ['xml', 'FROM range(1)'],
    ['parquet', 'CREATE TABLE never (a INT)'],
  ])('%s is refused for %s', async (format, sql) => {
    expect((await service.query(sql, { format })).status).toBe(400)
  })
})

describe('the other fields', () => {
  it('timezone moves TIMESTAMPTZ for this query alone', async () => {
    const statement = `SELECT TIMESTAMPTZ '2026-01-02 03:04:05+00'`
    const session_id = 'zones'
    expect((await service.query(statement, { timezone: 'Asia/Tokyo', session_id })).rows).toEqual([
      ['2026-01-02T12:04:05+09:00'],
    ])
    expect((await service.query(statement, { session_id })).rows).toEqual([['2026-01-02T03:04:05+00:00']])
  })

  it.each([
    [{ timezone: 'Nowhere/Atall' }, 'timezone'],
    [{ dialect: 'db2' }, 'dialect'],
    [{ compute_size: 'HUGE' }, 'compute_size'],
    [{ compute_size: 'AUTO', session_id: 's' }, 'AUTO'],
    [{ ephemeral: true, session_id: 's' }, 'ephemeral'],
    [{ limit: -1 }, 'limit'],
    [{ offset: 1.5 }, 'offset'],
    [{ query_id: 'five' }, 'query_id'],
    [{ catalog: 'nowhere' }, 'nowhere'],
    [{ schema: 'nowhere' }, 'nowhere'],
    [{ cache: 'yes' }, 'cache'],
    [{ statement: 5 }, 'statement'],
  ])('refuses %j and names it', async (more, named) => {
    const { status, error } = await service.query('SELECT 1', more)
    expect(status).toBe(400)
    expect(error?.['message']).toContain(named)
  })

  it.each([
    { compute_size: 'XL' },
    { compute_size: 'AUTO' },
    { dialect: 'duckdb' },
    { dialect: null, cache: false, requested_by: 'me', schema: null },
    { ephemeral: true },
  ])('takes %j', async (more) => {
    expect((await service.query('SELECT 1', more)).rows).toEqual([[1]])
  })
})

describe('sessions', () => {
  it('keep temporary tables, variables and USE', async () => {
    const session_id = 'mine'
    const ask = (statement: string, more: Body = {}) => service.query(statement, { session_id, ...more })
    await ask('CREATE TEMP TABLE scratch AS SELECT 42 AS a')
    await ask('SET VARIABLE answer = 43')
    await ask('CREATE SCHEMA corner')
    expect((await ask('USE corner')).status).toBe(200)
    await ask('CREATE TABLE here AS SELECT 44 AS a')
    expect((await ask(`SELECT a, getvariable('answer') FROM scratch`)).rows).toEqual([[42, 43]])
    expect((await ask('FROM lakehouse.corner.here')).rows).toEqual([[44]])
    expect((await ask('SELECT count(*) >= 0 FROM events')).rows).toEqual([[true]])
    expect((await ask('USE second')).status).toBe(200)
    await ask('CREATE TABLE used AS SELECT 1 AS a')
    expect((await service.query('FROM second.main.used')).rows).toEqual([[1]])
    expect((await service.query('FROM scratch')).status).toBe(400)
  })

  it('answer the id by which they can be used again', async () => {
    const { head } = await service.query('CREATE TEMP TABLE again AS SELECT 1 AS a')
    expect((await service.query('FROM again', { session_id: head['session_id'] })).rows).toEqual([[1]])
  })

  it('that are ephemeral end with their query', async () => {
    const { head } = await service.query('CREATE TEMP TABLE gone AS SELECT 1 AS a', { ephemeral: true })
    expect((await service.query('FROM gone', { session_id: head['session_id'] })).status).toBe(400)
  })

  it('run one statement at a time, in order', async () => {
    const session_id = 'busy'
    await service.query('CREATE TEMP TABLE steps (n INT)', { session_id })
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => service.query(`INSERT INTO steps VALUES (${n})`, { session_id })),
    )
    expect((await service.query('SELECT count(*) FROM steps', { session_id })).rows).toEqual([[20]])
  })

  it('survive a USE that was mistyped', async () => {
    const session_id = 'mistyped'
    await service.query('SET VARIABLE kept = 7', { session_id })
    expect((await service.query('USE nope', { session_id })).status).toBe(400)
    expect((await service.query(`SELECT getvariable('kept')`, { session_id })).rows).toEqual([[7]])
    expect((await service.ask('/validate', { statement: 'SELECT 1', session_id })).body['valid']).toBe(true)
  })

  it('go home when their schema is dropped, and change nothing there unasked', async () => {
    const session_id = 'homeless'
    const ask = (statement: string) => service.query(statement, { session_id })
    await ask('CREATE TABLE precious AS SELECT 1 AS a')
    await ask('CREATE SCHEMA passing')
    await ask('USE passing')
    await ask('DROP SCHEMA passing')
    expect((await service.ask('/validate', { statement: 'SELECT 1', session_id })).body['valid']).toBe(true)
    expect(await ask('DELETE FROM precious')).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('lakehouse.main') },
    })
    expect((await ask('FROM precious')).rows).toEqual([[1]])
    expect((await ask('DELETE FROM precious')).rows).toEqual([[1]])
    await ask('CREATE SCHEMA passing')
    await ask('USE passing')
    await service.query('DROP SCHEMA passing')
    expect((await ask('SELECT 1')).rows).toEqual([[1]])
  })

  it.each([
    'USE nowhere.main',
    'USE waymark_internal',
    'SET memory_limit = 1',
    `SET search_path = 'x'`,
    'SET GLOBAL TimeZone = 1',
  ])('refuse %s', async (statement) => {
    expect((await service.query(statement)).status).toBe(400)
  })
})

import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { basic, type Body } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const append = (table: string, body: unknown, more = '&sync=true') =>
  service.send(
    'POST',
    `/append?catalog=lakehouse&schema=main&table=${table}${more}`,
    typeof body === 'string' ? body : JSON.stringify(body),
    { authorization: basic, 'content-type': 'application/json' },
  )
const rows = async (statement: string) => (await service.query(statement)).rows
const task = async (id: unknown): Promise<Body> => {
  for (;;) {
    const { body } = await service.get(`/tasks/${String(id)}`)
    if (body['status'] !== 'pending') return body
    await delay(5)
  }
}
const rejectedOf = (id: unknown) =>
  rows(
    `SELECT position, record, reason, table_name FROM rejected WHERE task_id = '${String(id)}' ORDER BY position`,
  )

describe('a record that does not fit into a table made by hand', () => {
  it.each([
    [
      'id TINYINT',
      '[{"id":1},{"id":1000}]',
      'Record 1: the value 1000 of the field "id" does not fit into the column, which is TINYINT.',
    ],
    [
      "k ENUM('a', 'b')",
      '{"k":"c"}',
      `Record 0: the value c of the field "k" does not fit into the column, which is ENUM('a', 'b').`,
    ],
    ['d DATE', '[{},{"d":null},{"d":"today"}]', 'Record 2: the value today of the field "d"'],
    ['u UUID', '{"u":"x"}', 'the value x of the field "u"'],
    ['p DECIMAL(4,2)', '[{"p":99.99},{"p":100.5}]', 'Record 1: the value 100.5 of the field "p"'],
    ['l INT[]', '[{"l":[1]},{"l":["x"]}]', 'A record does not fit into the table'],
    // A cast would change these.
    ['p DECIMAL(4,2)', '{"p":1.555}', 'the value 1.555 of the field "p"'],
    ['f FLOAT', '{"f":1e300}', 'the value 1e300 of the field "f"'],
    ['d DATE', '{"d":"2024-01-02T10:00:00Z"}', 'the value 2024-01-02T10:00:00Z of the field "d"'],
    ['t TIME', '{"t":"10:00:00.1234567"}', 'the value 10:00:00.1234567 of the field "t"'],
    ['s TIMESTAMP_S', '{"s":"2024-01-02T10:00:00.5Z"}', 'the value 2024-01-02T10:00:00.5Z of the field "s"'],
    ['l INT[]', '{"l":[1.5]}', '[1.5] would change'],
    ['l DOUBLE[]', '{"l":[9007199254740993]}', 'would change'],
    ['l TIMESTAMP[]', '{"l":["2024-01-02T10:00:00.1234567Z"]}', 'would change'],
    [`s STRUCT(e ENUM('a'), n DECIMAL(4,1))`, '{"s":{"e":"a","n":1.55}}', 'would change'],
    ['n UTINYINT', '{"n":-1}', 'the value -1 of the field "n"'],
    ['s TIMESTAMP_NS', '{"s":"9999-01-01T00:00:00Z"}', 'the field "s"'],
  ])('is refused before anything is accepted: %s %s', async (columns, body, message) => {
    await service.query('DROP TABLE IF EXISTS hand')
    await service.query(`CREATE TABLE hand (${columns})`)
    const answer = await append('hand', body, '')
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ok: false,
        task_id: null,
        error_code: 'incompatible-schema',
        error_message: expect.stringContaining(message),
      },
    })
    expect(await rows('FROM hand')).toEqual([])
  })

  it('is no reason to refuse those that fit', async () => {
    await service.query(
      `CREATE TABLE fits (id TINYINT, k ENUM('a'), d DATE, p DECIMAL(4,2), l INT[], u UUID, f FLOAT[],
         s STRUCT(date DATE, "a, INTEGER" DECIMAL(4,1)))`,
    )
    const record = {
      id: 1,
      k: 'a',
      d: '2024-01-02',
      p: 1.5,
      l: [1, 2],
      u: '6b29fc40-ca47-1067-b31d-00dd010662da',
      f: [0.1, 1],
      s: { date: '2024-01-02', 'a, INTEGER': 1.5 },
    }
    expect((await append('fits', [record, { ...record, l: null }, {}])).body).toMatchObject({ ok: true })
    expect(await rows('SELECT count(*), count(id), count(l) FROM fits')).toEqual([[3, 2, 1]])
  })
})

describe('a record that DuckDB will not take after all', () => {
  it('is set aside alone, can be read, and its task tells of it', async () => {
    await service.query('CREATE TABLE keyed (id INT PRIMARY KEY, v VARCHAR)')
    const { body } = await append(
      'keyed',
      [{ id: 1, v: 'a' }, { id: 2, v: 'b' }, { id: 1, v: 'c' }, { id: 3 }],
      '',
    )
    expect(body).toMatchObject({ ok: true })
    expect(await task(body['task_id'])).toEqual({
      task_id: body['task_id'],
      status: 'completed',
      rejected: 1,
      error: expect.stringContaining('uplicate key "id: 1"'),
    })
    expect(await rows('FROM keyed ORDER BY id')).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, null],
    ])
    expect(await rejectedOf(body['task_id'])).toEqual([
      [2, { id: 1, v: 'c' }, expect.stringContaining('uplicate key "id: 1"'), 'keyed'],
    ])
  })

  it('takes none of its neighbours with it, of its own request or of others', async () => {
    await service.query('CREATE TABLE many (id INT PRIMARY KEY)')
    await append('many', [{ id: 7 }, { id: 30 }])
    const answers = await Promise.all(
      [0, 1, 2, 3].map((n) =>
        append(
          'many',
          Array.from({ length: 10 }, (_, k) => ({ id: 10 * n + k })),
          '',
        ),
      ),
    )
    const tasks = await Promise.all(answers.map(({ body }) => task(body['task_id'])))
    expect(tasks.map(({ rejected }) => rejected)).toEqual([1, undefined, undefined, 1])
    expect(await rows('SELECT count(*), count(DISTINCT id) FROM many')).toEqual([[40, 40]])
    expect((await rejectedOf(answers[0]?.body['task_id'])).map(([position]) => position)).toEqual([7])
    expect((await rejectedOf(answers[3]?.body['task_id'])).map(([position]) => position)).toEqual([0])
  })

  it('is told at once by sync=true, with the number of those that are stored', async () => {
    await service.query('CREATE TABLE strict (id INT NOT NULL, v INT)')
    const { status, body } = await append('strict', [{ id: 1 }, { v: 2 }, { id: 3 }])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ok: false,
      task_id: expect.any(String),
      error_code: 'incompatible-schema',
      error_message: expect.stringContaining('1 of 3 records were set aside; the others are stored.'),
    })
    expect(await rows('FROM strict ORDER BY id')).toEqual([
      [1, null],
      [3, null],
    ])
  })

  it('leaves a new column of the type that its whole request needs', async () => {
    await service.query('CREATE TABLE wider (k INT NOT NULL)')
    const { body } = await append('wider', '[{"k":1,"v":1.5},{"k":null,"v":2},{"k":3,"v":9007199254740993}]')
    expect(body).toMatchObject({ ok: false, error_message: expect.stringContaining('1 of 3') })
    expect(await rows('FROM wider ORDER BY k')).toEqual([
      [1, '1.5'],
      [3, '9007199254740993'],
    ])
  })

  it('is still told of after a restart', async () => {
    await service.query('CREATE TABLE later (id INT PRIMARY KEY)')
    const { body } = await append('later', [{ id: 1 }, { id: 1 }, { id: 1 }])
    await service.restart()
    expect(await task(body['task_id'])).toMatchObject({ status: 'completed', rejected: 2 })
    expect(await rejectedOf(body['task_id'])).toHaveLength(2)
  })

  it('is set aside at once although its words are those of an error that passes', async () => {
    await service.query('CREATE TABLE words (id VARCHAR PRIMARY KEY)')
    const { body } = await append('words', [
      { id: 'conflict: no space left' },
      { id: 'conflict: no space left' },
    ])
    expect(body).toMatchObject({ ok: false, error_message: expect.stringContaining('1 of 2') })
  })

  it('keeps its digits and its characters', async () => {
    await service.query('CREATE TABLE exact (id BIGINT PRIMARY KEY)')
    await append('exact', '{"id":9007199254740993}')
    const { body } = await append('exact', '[{"id":9007199254740993, "t":"x, [\\"😀\\"] }"}]')
    expect(body).toMatchObject({ ok: false })
    const [[, record]] = (await rejectedOf(body['task_id'])) as [[number, Body]]
    expect(record).toEqual({ id: '9007199254740993', t: 'x, ["😀"] }' })
  })

  it('waits in the log and is set aside with all of its request when the schema has gone', async () => {
    await service.query('CREATE SCHEMA gone')
    const path = '/append?catalog=lakehouse&schema=gone&table=t&sync=true'
    const send = (n: number) =>
      service.send('POST', path, JSON.stringify([{ n }, { n }]), { authorization: basic })
    expect((await send(1)).body).toMatchObject({ ok: true })
    const [answers] = await Promise.all([
      Promise.all([2, 3, 4, 5].map(send)),
      service.query('DROP SCHEMA gone CASCADE'),
    ])
    const stored = answers.filter(({ body }) => body['ok'] === true).length
    const refused = answers.filter(({ body }) => body['ok'] === false && body['task_id'] === null).length
    const aside = await rows(`SELECT count(*) FROM rejected WHERE schema_name = 'gone'`)
    expect(aside).toEqual([[2 * (4 - stored - refused)]])
  })
})

describe('the view rejected', () => {
  it('is in the analytics catalog too', async () => {
    const { columns, rows: found } = await service.query('FROM analytics.rejected')
    expect(columns.map(({ name }) => name)).toEqual([
      'task_id',
      'position',
      'record',
      'reason',
      'received_at',
      'kind',
      'schema_name',
      'table_name',
    ])
    expect(found).toEqual([])
  })

  it('cannot be written to, and leaves what somebody has made under its name alone', async () => {
    expect((await service.query('DELETE FROM rejected')).status).toBe(400)
    await service.query('DROP VIEW lakehouse.main.rejected')
    await service.query('CREATE VIEW lakehouse.main.rejected AS SELECT 1 AS mine')
    await service.restart()
    expect(await rows('FROM lakehouse.main.rejected')).toEqual([[1]])
    await service.query('DROP VIEW lakehouse.main.rejected')
    await service.restart()
    expect(await rows('SELECT count(task_id) >= 0 FROM rejected')).toEqual([[true]])
  })

  it('shows no more than was set aside of a good event', async () => {
    await service.ingest('/track?sync=true', event('good'))
    expect(await rows('SELECT count(*) FROM analytics.rejected')).toEqual([[0]])
  })
})

import { describe, expect, it } from 'vitest'
import { askRaw, type RawAnswer } from '../fixtures/askRaw.js'
import { basic, createService } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const statement = "SELECT 1 AS n, 'a' AS letter UNION ALL SELECT 2, 'b' ORDER BY n"
/** Many rows come, and then none for the reason that it gives. */
const breaking = `SELECT CASE WHEN i = 900000 THEN error('row 900000 is bad') ELSE i::VARCHAR END AS v FROM range(1000000) r(i)`

const ask = (body: object, headers: Record<string, string> = {}, path = '/query') =>
  askRaw(service.url, { path, body, headers })
const linesOf = ({ body }: RawAnswer): unknown[] =>
  body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)

/** Reads like the clients in JavaScript, Ruby, PHP and Java: line 2 is a list of labels, and each row an object by them. */
const readByLabels = (answer: RawAnswer): Record<string, unknown>[] => {
  const [, labels, ...rows] = linesOf(answer) as [object, unknown[], ...unknown[][]]
  for (const label of labels) if (typeof label !== 'string') throw new TypeError('A label must be a text.')
  return rows.map((row) => Object.fromEntries(row.map((value, at) => [labels[at] as string, value])))
}

/** Reads like a client with types: line 2 is a list of objects with exactly a name and a type. */
const readByTypes = (answer: RawAnswer): { columns: { name: string; type: string }[]; rows: unknown[][] } => {
  const [, columns, ...rows] = linesOf(answer) as [object, { name: string; type: string }[], ...unknown[][]]
  for (const column of columns) {
    const { name, type, ...others } = column
    const isColumn = typeof name === 'string' && typeof type === 'string' && Object.keys(others).length === 0
    if (!isColumn) throw new TypeError('A column must have a name and a type.')
  }
  return { columns, rows }
}

/** Reads like a client that looks for an `error` in every object after the metadata, and throws its text. */
const readWithErrors = (answer: RawAnswer): unknown[] => {
  if (!answer.isComplete) throw new Error('The connection broke.')
  const [, , ...rows] = linesOf(answer)
  for (const row of rows) {
    if (Array.isArray(row)) continue
    const { error } = row as { error: unknown }
    throw new Error(`The query failed: ${(error as string).trim()}`)
  }
  return rows
}

describe('a client that reads labels', () => {
  it.each([
    'altertable-lakehouse-js/0.3.1',
    'altertable-lakehouse-ruby/1.0.0 (ruby 3.3)',
    'Mozilla/5.0 altertable-lakehouse-php',
    'Altertable-Lakehouse-Java/2.0',
    'altertable-cli/0.9.0 (linux; x64)',
    'altertable-lakehouse-cli/0.1.0',
    'AltertableRuby/1.2.0 faraday',
  ])('is known by its User-Agent %s', async (agent) => {
    expect(readByLabels(await ask({ statement }, { 'user-agent': agent }))).toEqual([
      { n: 1, letter: 'a' },
      { n: 2, letter: 'b' },
    ])
  })

  it('that says nothing of itself asks by the query parameter or the field', async () => {
    const rows = [
      { n: 1, letter: 'a' },
      { n: 2, letter: 'b' },
    ]
    expect(readByLabels(await ask({ statement }, {}, '/query?columns=labels'))).toEqual(rows)
    expect(readByLabels(await ask({ statement, columns: 'labels' }))).toEqual(rows)
  })

  it('may have two columns of one name', async () => {
    expect(linesOf(await ask({ statement: 'SELECT 1 AS a, 2 AS a', columns: 'labels' })).slice(1)).toEqual([
      ['a', 'a'],
      [1, 2],
    ])
  })
})

describe('a client that reads objects only', () => {
  it.each([
    '',
    'altertable-lakehouse/0.2.0',
    'altertable-lakehouse-rust/0.2.0',
    'altertable-lakehouse-go/1.0',
    'altertable-lakehouse-python/0.1.0 dlt',
    'my-altertable-cli/1',
    'altertable',
  ])('gets them with the User-Agent "%s"', async (agent) => {
    const { columns, rows } = readByTypes(await ask({ statement }, { 'user-agent': agent }))
    expect(columns).toEqual([
      { name: 'n', type: 'INTEGER' },
      { name: 'letter', type: 'VARCHAR' },
    ])
    expect(rows).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
  })

  it('gets them when it asks for them, whoever it is', async () => {
    const agent = { 'user-agent': 'altertable-lakehouse-js/1' }
    expect(readByTypes(await ask({ statement, columns: 'objects' }, agent)).columns).toHaveLength(2)
    expect(readByTypes(await ask({ statement }, agent, '/query?columns=objects')).columns).toHaveLength(2)
    const both = await ask({ statement, columns: 'objects' }, agent, '/query?columns=labels')
    expect(readByTypes(both).columns).toHaveLength(2)
  })
})

describe('a client that reads JSON lines', () => {
  it('learns the columns from a header, because without rows nothing else tells them', async () => {
    const fetchLines = (asked: string) =>
      fetch(`${service.url}/query`, {
        method: 'POST',
        headers: { authorization: basic },
        body: JSON.stringify({ statement: asked, format: 'jsonl' }),
      })
    const answer = await fetchLines('SELECT 1 AS a, 2 AS a, 3 AS "größe ✓" WHERE false')
    expect(await answer.text()).toBe('')
    expect(JSON.parse(answer.headers.get('x-waymark-columns')!)).toEqual(['a', 'a_1', 'größe ✓'])
    const wide = await fetchLines(
      `SELECT ${Array.from({ length: 900 }, (_, at) => `${at} AS column_${at}`).join()}`,
    )
    expect([wide.status, wide.headers.get('x-waymark-columns')]).toEqual([200, null])
  })
})

describe('the query log', () => {
  it('names its interface as the client knows it', async () => {
    const [{ query_id: id }] = linesOf(await ask({ statement })) as [{ query_id: string }]
    const read = async (agent: string) => {
      const headers = { authorization: basic, 'user-agent': agent }
      const answer = await fetch(`${service.url}/query/${id}`, { headers })
      return ((await answer.json()) as { client_interface: string }).client_interface
    }
    expect(await read('AltertableRuby/1.2.0')).toBe('HttpQuery')
    expect(await read('altertable-lakehouse-go/1.0')).toBe('HttpQuery')
    expect(await read('curl/8.0')).toBe('HTTP')
  })
})

describe('columns', () => {
  it('are labels for all who ask for nothing else, where the service is started so', async () => {
    const other = await createService({ columns: 'labels' })
    try {
      const answer = await askRaw(other.url, { path: '/query', body: { statement } })
      expect(readByLabels(answer)).toHaveLength(2)
      const asked = await askRaw(other.url, { path: '/query', body: { statement, columns: 'objects' } })
      expect(readByTypes(asked).columns).toHaveLength(2)
    } finally {
      await other.close()
    }
  })

  it('of another form are refused with the two there are', async () => {
    for (const answer of [
      await ask({ statement }, {}, '/query?columns=names'),
      await ask({ statement, columns: 'names' }),
    ]) {
      expect(answer.status).toBe(400)
      expect((JSON.parse(answer.body) as { message: string }).message).toMatch(/columns .*objects, labels/)
    }
  })
})

describe('a client that reads `error` as a text', () => {
  it('throws the text of a stream that broke', async () => {
    const answer = await ask({ statement: breaking, query_id: '6b29fc40-ca47-4067-b31d-00dd010662da' })
    expect(() => readWithErrors(answer)).toThrow('row 900000 is bad')
    expect(linesOf(answer).at(-1)).toEqual({
      error: expect.stringContaining('row 900000 is bad'),
      error_code: 'invalid-statement',
      query_id: '6b29fc40-ca47-4067-b31d-00dd010662da',
    })
  })

  it.each(['jsonl', 'csv'])(
    'sees a broken connection in %s, and no line that is not a row',
    async (format) => {
      const answer = await ask({ statement: breaking, format })
      expect(answer.isComplete).toBe(false)
      expect(() => readWithErrors(answer)).toThrow('The connection broke.')
      expect(answer.body).not.toContain('error')
      expect(answer.body.length).toBeGreaterThan(1_000_000)
    },
  )

  it('reads all rows of a stream that did not break', async () => {
    expect(readWithErrors(await ask({ statement }))).toHaveLength(2)
  })
})

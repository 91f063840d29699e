import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineOf } from '../fixtures/engineOf.js'
import { spawnService, type Spawned, urlIn } from '../fixtures/spawnService.js'
import { writeUsers } from '../fixtures/usersFile.js'

let folder: string
let service: Spawned
let url: string
let engine: number | undefined
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-stays-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { ada: ['lovelace', 'write'], bob: ['builder', 'read'] })
  service = spawnService([
    ...['--port', '0', '--data', join(folder, 'data'), '--users-file', usersFile, '--quiet'],
    ...['--memory-limit', '256MB', '--engine-memory', '700MB'],
  ])
  url = urlIn(await service.ready)
  engine = engineOf(service.pid)
})
afterAll(async () => {
  service.kill('SIGTERM')
  await service.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const ask = async (path: string, statement: string) => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('bob:builder').toString('base64')}` },
    body: JSON.stringify({ statement }),
  })
  return { status: response.status, text: await response.text() }
}

/** What counts against the limit that the system has for the engine. */
const addressedBytes = () => {
  const status = readFileSync(`/proc/${engine}/status`, 'utf8')
  return 1024 * Number(/VmData:\s+(\d+)/.exec(status)![1])
}

const deep = (open: string, middle: string, close: string, levels = 100_000) =>
  `(repeat('${open}', ${levels}) || '${middle}' || repeat('${close}', ${levels}))`
const lists = deep('[', '', ']')
const objects = deep('{"a":', '1', '}')

/** Each of them, of a user who may only read, has ended the engine, or made it useless until its next start. */
const statements: [statement: string, message: RegExp][] = [
  ...[
    'SELECT len(range(2000000000))',
    'SELECT len(generate_series(1, 2000000 * 1000))',
    'SELECT len(list_resize([1], 2000000000))',
    'FROM range(len(range(2000000000)))',
    'SELECT 1 LIMIT len(range(2000000000))',
    'SELECT sum(len(range(50000000 + range::INT))) FROM range(100000)',
    "SELECT max(length(s || s)) FROM (SELECT repeat('x', 100000000) AS s FROM range(100))",
    'WITH RECURSIVE t(s, n) AS (SELECT [1], 1 UNION ALL SELECT list_concat(s, s), n + 1 FROM t WHERE n < 40) SELECT max(len(s)) FROM t',
  ].map((statement): [string, RegExp] => [statement, /Out of Memory|allocat|Cannot resize/i]),
  ...[lists, objects].flatMap((json): [string, RegExp][] => [
    [`SELECT json_structure(${json})`, /levels/],
    [`SELECT json_structure(${json}::JSON)`, /levels/],
    [`SELECT json_group_structure(${json}::JSON)`, /levels/],
    [`SELECT json_contains(${json}, ${json})`, /levels/],
    [`SELECT (${json}::JSON)::VARIANT`, /VARIANT/],
    [`SELECT from_json('[]', ${json})`, /written out/],
    [`SELECT json_transform_strict('[]', ${json})`, /written out/],
  ]),
  ['SELECT reservoir_quantile(1.5, [])', /not allowed/],
  ["SELECT list_aggregate([1.5], 'reservoir_quantile', [])", /does not take/],
  ['SELECT is_histogram_other_bin(range) FROM range(2)', /not allowed/],
  ['SELECT list_sort(1::VARIANT)', /VARIANT/],
]

describe.runIf(process.platform === 'linux')('the engine goes on', () => {
  it.each(['/query', '/validate', '/explain'])('after what has ended it, sent to %s', async (path) => {
    const atStart = addressedBytes()
    for (const [statement, message] of statements) {
      const { status, text } = await ask(path, statement)
      expect([statement, status]).toEqual([statement, path === '/query' ? 400 : 200])
      if (path === '/query') expect(text).toMatch(message)
    }
    expect(addressedBytes() - atStart).toBeLessThan(200 * 2 ** 20)
    expect(engineOf(service.pid)).toBe(engine)
  })

  it('after a file of JSON that is nested too deeply', async () => {
    const body = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}\n`
    const response = await fetch(
      `${url}/upload?catalog=lakehouse&schema=main&table=deep&mode=create&format=json`,
      {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` },
        body,
      },
    )
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('100 levels')])
    expect(engineOf(service.pid)).toBe(engine)
  })

  it('and tells the structure of JSON that is not too deep', async () => {
    const nested = deep('[', '', ']', 1001)
    expect((await ask('/query', `SELECT json_structure(${nested})`)).status).toBe(400)
    for (const [sql, answer] of [
      [`json_structure('{"a":[1],"b":"[{"}')`, { a: ['UBIGINT'], b: 'VARCHAR' }],
      [`json_group_structure('{"a":1}'::JSON)`, { a: 'UBIGINT' }],
      [`json_contains('{"a":[1]}'::JSON, '1')`, true],
      [`json_structure('[' || repeat('{"a":"]"},', 1000) || '{}]')`, [{ a: 'VARCHAR' }]],
      ['json_structure(NULL)', null],
      [`json_structure(${deep('[', '', ']', 3)})`, [[['NULL']]]],
      [`from_json('{"a":"5"}', '{"a":"INTEGER"}')`, { a: 5 }],
      [`('{"a":"5"}').json_transform('{"a":"INTEGER"}')`, { a: 5 }],
    ] as const) {
      const { text } = await ask('/query', `SELECT ${sql} AS v`)
      expect([sql, JSON.parse(text.trim().split('\n').at(-1)!)]).toEqual([sql, [answer]])
    }
  })
})

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createClient } from '../fixtures/createClient.js'
import { basic } from '../fixtures/createService.js'
import { eventually } from '../fixtures/eventually.js'
import { engineOf } from '../fixtures/engineOf.js'
import { urlIn } from '../fixtures/spawnService.js'
import { useSpawned } from '../fixtures/useSpawned.js'

const { launch, current } = useSpawned()
const start = async (...more: string[]) => {
  const flags = ['--port', '0', '--data', current.folder, '--api-keys', 'key']
  const users = ['--users', 'ada:lovelace,eve:evil']
  const service = launch([...flags, ...users, '--memory-limit', '256MB', ...more])
  const url = urlIn(await service.ready)
  return { service, url, client: createClient(url) }
}

/** DuckDB 1.5.6 gives up at each of these. */
const deadly = [
  "SELECT date_part(p, now()) FROM (VALUES ('epoch')) x(p)",
  'SELECT ntile(2 ORDER BY i) OVER (ROWS BETWEEN 3 FOLLOWING AND 1 FOLLOWING) FROM range(10) t(i)',
  'SELECT * FROM (SELECT 1 AS a EXCEPT ALL SELECT 2) x ASOF JOIN (SELECT 1 AS b) y ON x.a >= y.b',
] as const
/** Runs for minutes. */
const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3'

const eve = { authorization: `Basic ${Buffer.from('eve:evil').toString('base64')}` }

/** Another statement each time it is asked. */
const variant = (n: number) => deadly[(n % 3) as 0 | 1 | 2].replace('SELECT', `SELECT ${n} AS n,`)

const restarts = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: basic } })).text()
  return Number(/^waymark_engine_restarts_total (\d+)/m.exec(text)?.[1])
}

/** How long a user's statements wait after the starts of which the log tells. */
const restsIn = (log: string, user: string): unknown[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"rest_ms"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['user'] === user)
    .map(({ rest_ms }) => rest_ms)

/** Does something again and again until it is stopped, and keeps what came of it. */
const again = <T>(work: (n: number) => Promise<T>) => {
  const results: T[] = []
  let isStopped = false
  const done = (async () => {
    for (let n = 0; !isStopped; n++) results.push(await work(n))
  })()
  return {
    results,
    async stop() {
      isStopped = true
      await done
    },
  }
}

/** Neither DuckDB's stack nor a path of this machine. */
const tellsOfTheMachine = (text: string) =>
  /stack trace|node_modules|libduckdb|\.so\b/i.test(text) || text.includes(current.folder)

describe.runIf(process.platform === 'linux')('a statement at which DuckDB gives up', () => {
  it('is felt by nobody else but as a delay', { timeout: 300_000 }, async () => {
    const { service, client, url } = await start()
    await client.rows('CREATE TABLE kept AS SELECT range AS n FROM range(1000)')
    await client.rows('CREATE TABLE uploaded (n BIGINT)')
    const attacker = again((n) => client.post('/query', { statement: variant(n) }, eve))
    const readers = Array.from({ length: 10 }, (_, at) =>
      again(async (n) => {
        const statement = `SELECT count(*), ${at}, ${n} FROM kept, range(${at % 2 === 0 ? 1 : 20_000})`
        const { status, text } = await client.post('/query', { statement, cache: false })
        await delay(20)
        return { status, text }
      }),
    )
    const uploader = again(async (n) => {
      const query = 'catalog=lakehouse&schema=main&table=uploaded&mode=append&format=csv'
      const { status, text } = await client.post(`/upload?${query}`, `n\n${n}\n`)
      await delay(100)
      return { status, text }
    })
    await eventually(async () => {
      expect(await restarts(url)).toBeGreaterThanOrEqual(3)
      for (const { results } of readers) expect(results.length).toBeGreaterThan(10)
    }, 1000)
    await attacker.stop()
    await Promise.all([...readers, uploader].map((each) => each.stop()))
    const answers = readers.flatMap(({ results }) => results)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(answers.filter(({ text }) => text.includes('"error"'))).toEqual([])
    // An upload that was under way may be sent again, and is never called wrong.
    expect(uploader.results.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    expect(attacker.results.filter(({ status }) => status !== 400)).toEqual([])
    expect(attacker.results.filter(({ text }) => tellsOfTheMachine(text))).toEqual([])
    expect(service.log()).not.toMatch(/stack trace|libduckdb/i)
    // Its words differ each time, so its user rests, longer each time.
    const rests = restsIn(service.log(), 'eve')
    expect(rests.slice(0, 3)).toEqual([3000, 6000, 12_000])
    expect(restsIn(service.log(), 'ada')).toEqual([])
  })

  it('is refused for a day when it has ended the engine twice, with the reason', async () => {
    const { client, url } = await start('--postgres-port', '0')
    const statement = deadly[0]
    for (let times = 1; times <= 2; times++) {
      const { status, text } = await client.post('/query', { statement })
      expect(status).toBe(400)
      expect(JSON.parse(text)).toMatchObject({ message: expect.stringContaining('error of its own') })
      await eventually(async () => expect(await restarts(url)).toBe(times))
    }
    const query_id = randomUUID()
    const inOtherWords = ` ${statement.replaceAll(' ', '  ').replace('SELECT', 'select /* again */')};`
    for (const path of ['/query', '/validate', '/explain']) {
      const { text } = await client.post(path, { statement: inOtherWords, query_id })
      expect(text).toContain('has ended the query engine 2 times (INTERNAL Error: Unsupported ICU BIGINT')
    }
    const log = await (await fetch(`${url}/query/${query_id}`, { headers: { authorization: basic } })).json()
    expect(log).toMatchObject({ error: expect.stringContaining('has ended the query engine 2 times') })
    const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: basic } })).text()
    expect(metrics).toContain('\nwaymark_refused_statements 1\n')
    expect(await restarts(url)).toBe(2)
    // Another value may be harmless.
    const { text } = await client.post('/query', { statement: statement.replace('epoch', 'year') })
    expect(text).not.toContain('has ended the query engine')
  })

  it('lets a change come again that was under way, and nothing of it stays', async () => {
    const { client } = await start()
    await client.rows('CREATE TABLE changed (n BIGINT)')
    const query_id = randomUUID()
    const change = client.post('/query', {
      statement: `INSERT INTO changed SELECT n FROM (${endless}) c(n)`,
      query_id,
    })
    await client.untilRunning(query_id)
    await client.post('/query', { statement: deadly[1] })
    const { status, headers, text } = await change
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '2' })
    expect(JSON.parse(text)).toMatchObject({ error: 'engine-starting' })
    expect(tellsOfTheMachine(text)).toBe(false)
    expect(await client.rows('SELECT count(*) FROM changed')).toEqual([[0]])
  })

  it('is told to clients of the Postgres protocol, who then wait as long as others', async () => {
    const { service, client } = await start('--postgres-port', '0')
    const port = Number(/:(\d+) \(Postgres\)/.exec(service.said())?.[1])
    const connect = async () => {
      const known = { host: '127.0.0.1', port, user: 'ada', password: 'lovelace', database: 'lakehouse' }
      const made = new pg.Client(known)
      await made.connect()
      return made
    }
    const idle = await connect()
    const told = new Promise<{ code?: string; message: string }>((resolve) => idle.on('error', resolve))
    const attacker = await connect()
    attacker.on('error', () => undefined)
    await expect(attacker.query(deadly[2])).rejects.toThrow('error of its own')
    const next = connect()
    const { code, message } = await told
    expect(code).toBe('57P03')
    expect(message).toContain('The query engine ended')
    expect(tellsOfTheMachine(message)).toBe(false)
    const after = await next
    expect((await after.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await after.end()
    expect(await client.rows('SELECT 2')).toEqual([[2]])
  })
})

describe.runIf(process.platform === 'linux')('an engine that is killed', () => {
  it('answers a statement that reads when it is back, and says why it cannot go on with others', async () => {
    const { service, client } = await start()
    const query_id = randomUUID()
    const statement = 'SELECT count(*) FROM range(10000) a, range(100000) b WHERE (a.range + b.range) % 7 = 3'
    const reading = client.post('/query', { statement, query_id })
    await client.untilRunning(query_id)
    process.kill(engineOf(service.pid)!, 'SIGKILL')
    const { status, text } = await reading
    expect(text).not.toContain('"error"')
    expect(status).toBe(200)
  })

  it('refuses a statement that ran alone both times, though the engine could say nothing', async () => {
    const { service, client } = await start()
    const query_id = randomUUID()
    const reading = client.post('/query', { statement: endless, query_id })
    for (let times = 1; times <= 2; times++) {
      await client.untilRunning(query_id)
      const engine = engineOf(service.pid)
      process.kill(engine!, 'SIGKILL')
      await eventually(() => expect(restsIn(service.log(), 'ada')).toHaveLength(times))
    }
    const { status, text } = await reading
    expect(status).toBe(400)
    expect(text).toContain('has ended the query engine 2 times (The system ended it')
    expect(await client.rows('SELECT 1')).toEqual([[1]])
  })

  it('is not said to have lacked memory when it crashed, and is asked nothing that it has lost', async () => {
    const { service, client } = await start()
    const query_id = randomUUID()
    const session_id = 'own'
    await client.post('/query', { statement: 'CREATE TEMP TABLE own AS SELECT 1', session_id })
    const reading = client.post('/query', { statement: endless, query_id, session_id })
    await client.untilRunning(query_id)
    process.kill(engineOf(service.pid)!, 'SIGSEGV')
    const { status, text } = await reading
    // Its temporary table is gone, so it would have another answer.
    expect(status).toBe(503)
    expect(JSON.parse(text)).toMatchObject({
      error: 'engine-starting',
      // A system that writes what was in memory tells of the signal only when it has done so.
      message: expect.stringContaining('ended while it worked on this'),
    })
    expect(text).not.toContain('memory')
  })
})

import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient, type Client } from '../fixtures/createClient.js'
import { spawnService, urlIn, type Spawned } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let running: Spawned[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-two-'))
  running = []
})
afterEach(async () => {
  for (const each of running) each.kill('SIGKILL')
  await Promise.all(running.map((each) => each.ended))
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const launchIn = (env: NodeJS.ProcessEnv, ...more: string[]): Spawned => {
  const flags = ['--port', '0', '--data', folder, '--api-keys', 'key', '--users', 'ada:lovelace']
  const spawned = spawnService([...flags, '--memory-limit', '256MB', '--quiet', ...more], { env })
  running.push(spawned)
  return spawned
}
const launch = (...more: string[]): Spawned => launchIn({}, ...more)

/** The children of a process, found where the system lists them. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const file = `/proc/${name}/stat`
      const stat = existsSync(file) ? readFileSync(file, 'utf8') : ''
      return Number(/\) \S (\d+)/.exec(stat)?.[1]) === pid ? [Number(name)] : []
    })

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const engineOf = (service: Spawned) =>
  eventually(() => {
    const [pid] = childrenOf(service.pid)
    if (pid === undefined) throw new Error('There is no engine.')
    return pid
  })

/** A service that is ready may still wait for an engine that takes more than ten seconds to start. */
const answers = (client: Client) => eventually(() => client.rows('SELECT 1'))

/** Sends numbered events one after the other until it is stopped, and notes what became of each. */
const createSender = (client: Client, from: number, step: number) => {
  const accepted: number[] = []
  const refused: { n: number; status: number; text: string }[] = []
  let isStopped = false
  const work = (async () => {
    for (let n = from; !isStopped; n += step) {
      const { status, text } = await client
        .track(client.number(n))
        .catch((error: unknown) => ({ status: 0, text: String(error) }))
      if (status === 200) accepted.push(n)
      else refused.push({ n, status, text })
      if (status === 503) await delay(100)
    }
  })()
  return {
    accepted,
    refused,
    async stop() {
      isStopped = true
      await work
    },
  }
}

describe.runIf(process.platform === 'linux')('the engine', () => {
  it('may be killed every second under load: nothing is refused, lost or stored twice', async () => {
    const service = launch()
    const client = createClient(urlIn(await service.ready))
    const senders = [0, 1, 2, 3].map((at) => createSender(client, at, 4))
    // How fast a busy machine sends and starts an engine is not what is tested, so each kill waits for both.
    const before = new Set<number>()
    for (let kills = 0; kills < 6; kills++) {
      await delay(1000)
      await eventually(() => {
        for (const { accepted } of senders) expect(accepted.length).toBeGreaterThan(10 * kills)
      })
      const engine = await eventually(async () => {
        const pid = await engineOf(service)
        if (before.has(pid)) throw new Error('It is still the same engine.')
        return pid
      })
      before.add(engine)
      process.kill(engine, 'SIGKILL')
    }
    for (const sender of senders) await sender.stop()
    const accepted = senders.flatMap((sender) => sender.accepted)
    expect(senders.flatMap((sender) => sender.refused)).toEqual([])

    await eventually(async () => {
      const { text } = await client.track(client.number(-1), true)
      const { task_id: task } = JSON.parse(text) as { task_id: string }
      expect(await client.task(task)).toEqual({ task_id: task, status: 'completed' })
    })
    const stored = await client.rows(
      `SELECT (properties->>'n')::INT FROM events WHERE event = 'numbered' AND (properties->>'n') <> '-1'`,
    )
    expect(stored.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(
      accepted.toSorted((a, b) => a - b),
    )
  })

  it.each(['/query', '/validate', '/explain'])(
    'ends at a statement to %s that takes all memory, where the system cannot refuse it, and is there again',
    async (path) => {
      // No `prlimit` is found, as on a system without it.
      const service = launchIn({ PATH: '/nonexistent' }, '--engine-memory', '700MB')
      const client = createClient(urlIn(await service.ready))
      await client.track(client.number(0), true)
      const engine = await engineOf(service)
      const sender = createSender(client, 1, 1)
      const { status, headers, text } = await client.post(path, {
        statement: 'SELECT len(range(2000000000))',
      })
      expect(status).toBe(503)
      expect(headers.get('retry-after')).toMatch(/^\d+$/)
      expect(JSON.parse(text)).toMatchObject({ error: 'engine-ended' })
      await eventually(async () => expect((await client.rows('SELECT 1'))[0]).toEqual([1]))
      await sender.stop()
      // A fast machine sends more meanwhile than may wait for an engine.
      expect(sender.refused.filter((each) => !each.text.includes('"overloaded"'))).toEqual([])
      expect(sender.accepted.length).toBeGreaterThan(10)
      expect(await engineOf(service)).not.toBe(engine)
      const [[stored]] = (await eventually(async () => {
        await client.track(client.number(1_000_000), true)
        return client.rows(`SELECT count(DISTINCT properties->>'n') FROM events`)
      })) as [[number]]
      expect(stored).toBe(sender.accepted.length + 2)
    },
  )

  it('ends at a statement that no interrupt reaches, after its time-out, and is there again', async () => {
    const service = launch('--statement-timeout', '1')
    const client = createClient(urlIn(await service.ready))
    await answers(client)
    const engine = await engineOf(service)
    const { status, text } = await client.post('/query', {
      statement: `SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))`,
    })
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({
      status: 503,
      body: { error: 'engine-starting', message: expect.stringContaining('does not end') },
    })
    await eventually(async () => expect(await client.rows('SELECT 1')).toEqual([[1]]))
    expect(await engineOf(service)).not.toBe(engine)
  })

  it('is said to be missing by a query and by a task, and what waits for it is kept', async () => {
    const ingest = launch('--role', 'ingest')
    const client = createClient(urlIn(await ingest.listening))
    const accepted = await client.track(client.number(1))
    expect(accepted.status).toBe(200)
    const { task_id: task } = JSON.parse(accepted.text) as { task_id: string }
    expect(await client.task(task)).toEqual({
      task_id: task,
      status: 'pending',
      message: expect.stringContaining('engine'),
    })
    const query = await client.post('/query', { statement: 'SELECT 1' })
    expect(query.status).toBe(503)
    expect(query.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(JSON.parse(query.text)).toMatchObject({ error: 'engine-starting' })

    const engine = launch('--role', 'engine')
    expect(await engine.ready).toBe('waymark-server engine ready')
    await eventually(async () =>
      expect(await client.task(task)).toEqual({ task_id: task, status: 'completed' }),
    )
    expect(await client.rows('SELECT count(*) FROM events')).toEqual([[1]])
  })

  it('is ended and started again when it hangs, while events are accepted', async () => {
    const service = launch()
    const client = createClient(urlIn(await service.ready))
    await answers(client)
    const engine = await engineOf(service)
    process.kill(engine, 'SIGSTOP')
    const sender = createSender(client, 0, 1)
    // Until it is known that the engine hangs, so many rows would be stored late that some are refused.
    await eventually(() => expect(isAlive(engine)).toBe(false))
    const lastWhileHung = sender.accepted.at(-1)!
    await sender.stop()
    expect(sender.refused.filter(({ status, n }) => status !== 503 || n > lastWhileHung)).toEqual([])
    expect(sender.accepted.length).toBeGreaterThan(10)
    const [[stored]] = (await eventually(async () => {
      await client.track(client.number(-1), true)
      return client.rows(`SELECT count(DISTINCT properties->>'n') FROM events`)
    })) as [[number]]
    expect(stored).toBe(sender.accepted.length + 1)
  })

  it('goes on after both processes stood still, as in a frozen container, with what had just been cancelled', async () => {
    const service = launchIn({}, '--statement-timeout', '1')
    const client = createClient(urlIn(await service.ready))
    const engine = await engineOf(service)
    const query_id = randomUUID()
    const statement =
      'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3'
    const endless = client.post('/query', { statement, query_id })
    await client.untilRunning(query_id)
    for (const pid of [engine, service.pid]) process.kill(pid, 'SIGSTOP')
    // Longer than an engine may be silent, and than a cancelled statement may go on.
    await delay(25_000)
    // The service finds its timers due before the engine can say anything.
    process.kill(service.pid, 'SIGCONT')
    await delay(500)
    process.kill(engine, 'SIGCONT')
    const { status, text } = await endless
    expect([status, text]).toEqual([400, expect.stringContaining('query-timeout')])
    expect(await client.rows('SELECT 1')).toEqual([[1]])
    expect(await engineOf(service)).toBe(engine)
    expect(isAlive(engine)).toBe(true)
    expect(service.log()).not.toMatch(/The engine (is ended|ended)/)
  })

  it('lets acceptance go first with each of its threads, those of DuckDB too', async () => {
    const service = launch()
    const client = createClient(urlIn(await service.ready))
    await client.track(client.number(0), true)
    const [engine] = await Promise.all([engineOf(service), answers(client)])
    const niceness = readdirSync(`/proc/${engine}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${engine}/task/${thread}/stat`, 'utf8')
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]
    })
    expect(niceness.length).toBeGreaterThan(10)
    expect(new Set(niceness)).toEqual(new Set(['10']))
  })

  it('is gone when the service is killed, and leaves the folder free', async () => {
    const service = launch()
    const client = createClient(urlIn(await service.ready))
    await client.track(client.number(1))
    const engine = await engineOf(service)
    service.kill('SIGKILL')
    await service.ended
    await eventually(() => expect(isAlive(engine)).toBe(false))
    const again = createClient(urlIn(await launch().ready))
    await again.track(again.number(2), true)
    expect(await again.rows('SELECT count(*) FROM events')).toEqual([[2]])
  })

  it('ends with the service on SIGTERM, cleanly', async () => {
    const service = launch()
    await service.ready
    const engine = await engineOf(service)
    service.kill('SIGTERM')
    expect((await service.ended).code).toBe(0)
    expect(isAlive(engine)).toBe(false)
    expect(readdirSync(folder).filter((name) => name.endsWith('.wal'))).toEqual([])
  })
})

it('refuses a second ingest process for the same folder, whatever its port', async () => {
  const first = launch('--role', 'ingest')
  await first.listening
  const second = await launch('--role', 'ingest').ended
  expect(second.code).toBe(1)
  expect(second.stderr.trim()).toMatch(/^The data folder .* is in use by another waymark-server; .*\.$/)
})

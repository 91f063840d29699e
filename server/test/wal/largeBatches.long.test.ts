import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient, type Client } from '../fixtures/createClient.js'
import { event } from '../fixtures/events.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let running: Spawned[]
let client: Client
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-large-'))
  running = []
})
afterEach(async () => {
  for (const each of running) each.kill('SIGKILL')
  await Promise.all(running.map((each) => each.ended))
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const launch = (...more: string[]): Spawned => {
  const flags = ['--port', '0', '--data', folder, '--api-keys', 'key', '--users', 'ada:lovelace', '--quiet']
  const spawned = spawnService([...flags, '--memory-limit', '192MiB', ...more], { direct: true })
  running.push(spawned)
  return spawned
}
const launchAll = async () => {
  client = createClient(urlIn(await launch().ready))
  await eventually(() => client.rows('SELECT 1'))
}

const filler = (bytes: number) => randomBytes(bytes / 2).toString('hex')

/** Gives the task. */
const send = async (body: unknown): Promise<string> => {
  const { status, text } = await client.track(body)
  expect(status).toBe(200)
  return (JSON.parse(text) as { task_id: string }).task_id
}

/** What becomes of a task once it is no longer pending. */
const outcome = (task: string) =>
  eventually(async () => {
    const found = await client.task(task)
    expect(found['status']).not.toBe('pending')
    return found
  })

it('a backlog many times as large as what fits into memory is stored, each event once', async () => {
  // Without an engine all of it waits: beside one, what would be stored late is refused.
  client = createClient(urlIn(await launch('--role', 'ingest').listening))
  const perBody = 5000
  let task = ''
  for (let body = 0; body < 4; body++) {
    const of = (at: number) => {
      const n = body * perBody + at
      return event('large', { properties: { n, insert_id: `id-${n}`, filler: filler(2900) } })
    }
    task = await send(Array.from({ length: perBody }, (_, at) => of(at)))
  }
  await launch('--role', 'engine').ready
  expect(await outcome(task)).toMatchObject({ status: 'completed' })
  expect(await client.rows("SELECT count(*), count(DISTINCT properties->>'n') FROM events")).toEqual([
    [4 * perBody, 4 * perBody],
  ])
})

it('an event that never fits is set aside and its neighbours are stored', async () => {
  await launchAll()
  await send(client.number(1))
  const task = await send(event('huge', { properties: { filler: filler(15_000_000) } }))
  const after = await send(client.number(2))
  expect(await outcome(after)).toMatchObject({ status: 'completed' })
  const error = expect.stringContaining(
    'Storing it takes more memory than DuckDB may have (--memory-limit, 192 MiB).',
  )
  expect(await outcome(task)).toMatchObject({ status: 'completed', rejected: 1, error })
  expect(await client.rows("SELECT (properties->>'n')::INT FROM events ORDER BY 1")).toEqual([[1], [2]])
  expect(
    await client.rows(`SELECT kind, length(record::VARCHAR) > 15000000 FROM analytics.rejected`),
  ).toEqual([['track', true]])
})

it('an append that is stored in pieces goes into the columns of the whole', async () => {
  await launchAll()
  const rows = 40
  const records = Array.from({ length: rows }, (_, n) => ({
    n,
    at: n < rows / 2 ? '2024-01-02T03:04:05Z' : 'no moment',
    filler: filler(600_000),
  }))
  const answer = await client.post('/append?catalog=lakehouse&schema=main&table=t', records)
  const { task_id: task } = JSON.parse(answer.text) as { task_id: string }
  expect(await outcome(task)).toMatchObject({ status: 'completed' })
  expect(await client.rows('SELECT count(*), count(DISTINCT n), typeof(any_value("at")) FROM t')).toEqual([
    [rows, rows, 'VARCHAR'],
  ])
})

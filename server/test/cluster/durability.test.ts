import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, type ClientAnswer, createClient } from '../fixtures/createClient.js'
import type { Cluster } from './Cluster.js'
import { ServiceProcess } from './ServiceProcess.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let cluster: Cluster
let quorum: string
let ingest: ServiceProcess
let query: ServiceProcess
let client: Client
let number = 0

/** All that were launched: one that is to refuse to start is ended, too, when it does not. */
const launched: ServiceProcess[] = []
const serviceOf = (role: string, ...more: string[]) => {
  const service = new ServiceProcess(['--role', role, '--log', cluster.url, ...more])
  launched.push(service)
  return service
}
const ingestOf = (...more: string[]) => serviceOf('ingest', ...more)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-durability-'))
  cluster = await startCluster()
  ;({ quorum } = await cluster.primary.one<{ quorum: string }>(
    `SELECT current_setting('synchronous_standby_names') AS quorum`,
  ))
  ingest = ingestOf()
  query = serviceOf('engine', '--data', folder, '--log-level', 'warn')
  await Promise.all([ingest.start(), query.start()])
  client = createClient(ingest.url)
})

afterAll(async () => {
  await Promise.all(launched.map((each) => each.kill()))
  await cluster.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const pause = () => cluster.standbys.map((node) => node.pause())
const resume = () => cluster.standbys.map((node) => node.resume())

/** Sends an event again until it is taken. */
const deliver = async (n: number) => {
  while ((await client.track(client.number(n))).status !== 200) await delay(100)
}

/** How often an event is stored by now. */
const rowsOf = async (n: number) => {
  const statement = `SELECT count(*) FROM events WHERE properties->>'n' = '${n}'`
  const [[count]] = (await createClient(query.url).rows(statement)) as [[number]]
  return count
}

/** How often an event is stored, once all before it is. */
const stored = async (n: number) => {
  await eventually(async () => {
    const { text } = await client.track(client.number(-1), true)
    const { task_id: task } = JSON.parse(text) as { task_id: string }
    expect(await client.task(task)).toMatchObject({ status: 'completed' })
  })
  return rowsOf(n)
}

/** Refused, with the time after which to try again. */
const expectRefused = ({ status, headers, text }: ClientAnswer) => {
  expect({ status, retryAfter: headers.get('retry-after') }).toEqual({
    status: 503,
    retryAfter: expect.stringMatching(/^\d+$/),
  })
  expect(JSON.parse(text)).toMatchObject({ ok: false })
}

/** Resolves with the backend once a commit waits for a standby. */
const whenWaiting = () =>
  eventually(async () => {
    const rows = await cluster.primary.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'waymark append'`,
    )
    expect(rows).toHaveLength(1)
    return rows.at(0)!.pid
  })

beforeEach(() => deliver(number++))
afterEach(async () => {
  resume()
  await cluster.primary.configure({ synchronous_standby_names: quorum, fsync: 'on' })
})

describe('without a quorum the service', () => {
  it('refuses to start where the primary waits for no standby, and says what to set', async () => {
    await cluster.primary.configure({ synchronous_standby_names: '' })
    await expect(ingestOf().start()).rejects.toThrow(/synchronous_standby_names/)
    const local = ingestOf('--log-durability', 'local')
    await local.start()
    await local.kill()
    await cluster.primary.configure({ synchronous_standby_names: quorum })
  })

  it('refuses to start where the primary does not sync, also with --log-durability local', async () => {
    await cluster.primary.configure({ fsync: 'off' })
    await expect(ingestOf().start()).rejects.toThrow(/fsync/)
    await expect(ingestOf('--log-durability', 'local').start()).rejects.toThrow(/fsync/)
    await cluster.primary.configure({ fsync: 'on' })
  })

  it('says which right its user lacks to see the standbys, and needs no other', async () => {
    await cluster.primary.query('CREATE USER modest')
    await cluster.primary.query('CREATE DATABASE modest OWNER modest')
    const url = cluster.url.replace('postgres@', 'modest@').replace('/postgres?', '/modest?')
    const modest = new ServiceProcess(['--role', 'ingest', '--log', url])
    await expect(modest.start()).rejects.toThrow('GRANT pg_read_all_stats TO modest')
    await cluster.primary.query('GRANT pg_read_all_stats TO modest')
    await modest.start()
    expect(await createClient(modest.url).track(client.number(0))).toMatchObject({ status: 200 })
    await modest.kill()
  })

  it('takes nothing more once synchronous_standby_names is emptied, says so, and goes on when it is back', async () => {
    await cluster.primary.configure({ synchronous_standby_names: '' })
    expectRefused(await client.track(client.number(number)))
    const health = await fetch(`${ingest.url}/healthz`)
    expect({ status: health.status, body: await health.json() }).toMatchObject({
      status: 503,
      body: { accepting: false },
    })
    await cluster.primary.configure({ synchronous_standby_names: quorum })
    await deliver(number)
    expect(await stored(number++)).toBe(1)
  })

  it('answers 503 with Retry-After while no standby answers, and takes the same event once they do', async () => {
    pause()
    expectRefused(await client.track(client.number(number)))
    expectRefused(await client.track(client.number(number)))
    resume()
    await deliver(number)
    expect(await stored(number++)).toBe(1)
  })
})

describe('an event whose commit waits for a standby is not acknowledged', () => {
  it('when somebody cancels the wait', async () => {
    pause()
    const answer = client.track(client.number(number))
    const pid = await whenWaiting()
    await cluster.primary.query('SELECT pg_cancel_backend($1)', [pid])
    expectRefused(await answer)
    resume()
    await deliver(number)
    expect(await stored(number++)).toBe(1)
  })

  it('when synchronous_standby_names is emptied, which ends the wait', async () => {
    pause()
    const answer = client.track(client.number(number))
    await whenWaiting()
    await cluster.primary.configure({ synchronous_standby_names: '' })
    expectRefused(await answer)
    resume()
    await cluster.primary.configure({ synchronous_standby_names: quorum })
    await deliver(number)
    expect(await stored(number++)).toBe(1)
  })

  it('when its backend is ended', async () => {
    pause()
    const answer = client.track(client.number(number))
    const pid = await whenWaiting()
    await cluster.primary.query('SELECT pg_terminate_backend($1)', [pid])
    expectRefused(await answer)
    resume()
    await deliver(number)
    expect(await stored(number++)).toBe(1)
  })
})

it('one standby that stands still for two seconds holds nothing up while the other is there', async () => {
  const standby = cluster.standbys.at(0)!
  standby.pause()
  const paused = delay(2000)
  let isPaused = true
  void paused.then(() => (isPaused = false))
  const answers: number[] = []
  while (isPaused || answers.length < 6) answers.push((await client.track(client.number(number++))).status)
  standby.resume()
  expect(new Set(answers)).toEqual(new Set([200]))
})

it('a query process reads nothing that a restarted primary shows without its standbys, and goes on after the failover', async () => {
  const alone = cluster.primary
  await Promise.all(cluster.standbys.map((node) => node.kill()))
  const answer = client.track(client.number(number))
  await whenWaiting()
  await alone.kill()
  expectRefused(await answer)

  await alone.start()
  const refused = /"waymark follow","reason":"[^"]*none of its standbys follows that a commit waits for/
  await eventually(() => expect(query.log).toMatch(refused))
  const { shown } = await alone.one<{ shown: boolean }>(
    `SELECT bool_or(position($1::bytea IN body) > 0) AS shown FROM waymark.log`,
    [Buffer.from(`"id-${number}"`)],
  )
  expect({ shown, stored: await rowsOf(number) }).toEqual({ shown: true, stored: 0 })

  await alone.kill()
  await Promise.all(cluster.standbys.map((node) => node.start()))
  await cluster.failOver()
  await deliver(number + 1)
  expect(await stored(number + 1)).toBe(1)
  expect(await rowsOf(number)).toBe(0)
})

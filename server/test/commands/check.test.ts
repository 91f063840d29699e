import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import { launcher, spawnService, urlIn } from '../fixtures/spawnService.js'
import { withMounts } from '../fixtures/withMounts.js'
import { storeVersion } from '../../src/schema/analyticsSchema.js'
import { isAnswered } from '../../src/disk/DataFolder.js'
import { eventually } from '../fixtures/eventually.js'

let service: Service
const root = mkdtempSync(join(tmpdir(), 'waymark-check-'))
/** What the check said of the running service. */
let running: Awaited<ReturnType<typeof check>>

const check = (folder: string) => runWaymark('check', '--data', folder)
const wrongIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith('WRONG'))

beforeAll(async () => {
  service = await createService()
  await service.ingest(
    '/track?sync=true',
    Array.from({ length: 2000 }, (_, n) =>
      event('seen', {
        distinct_id: `user-${n % 40}`,
        anonymous_id: `a-${n % 90}`,
        properties: { text: `${n}`.repeat(40) },
      }),
    ),
  )
  await service.ingest('/alias?sync=true', {
    environment: 'production',
    distinct_id: 'user-1',
    new_user_id: 'user-2',
  })
  await service.query(
    `CREATE TABLE lakehouse.main."an ""odd"" name" AS SELECT {'a': [1, 2]} AS s FROM range(10)`,
  )
  running = await check(service.folder)
  await service.stop()
})
afterAll(() => {
  rmSync(service.folder, { recursive: true })
  rmSync(root, { recursive: true })
})

describe('check of a store that is whole', () => {
  it('finds nothing wrong, whether a service runs on it or not', async () => {
    const stopped = await check(service.folder)
    for (const { code, lines } of [running, stopped]) {
      expect(wrongIn(lines)).toEqual([])
      expect(code).toBe(0)
      expect(lines.at(-1)).toBe(`${service.folder} is whole.`)
    }
    const tables = (lines: readonly string[]) => lines.filter((line) => line.includes(', checksum '))
    expect(tables(stopped.lines)).toEqual(tables(running.lines))
    expect(tables(stopped.lines).join('\n')).toMatch(
      /analytics.raw.events: 2000 rows(.|\n)*main.an "odd" name: 10 rows/,
    )
    expect(stopped.lines.join('\n')).toContain('rows 1 to 2001, and its checksums are right.')
  })

  it('keeps a service from starting while it reads, and no longer', async () => {
    await service.restart()
    await service.stop()
  })
})

it('reads a folder that it cannot write to, with what DuckDB has not moved from its own log yet', async () => {
  const folder = join(root, 'read-only')
  const flags = ['--port', '0', '--data', folder, '--api-keys', 'key', '--quiet']
  const killed = spawnService(flags, { direct: true })
  const sent = await fetch(`${urlIn(await killed.ready)}/track?apiKey=key&sync=true`, {
    method: 'POST',
    body: JSON.stringify(event('seen')),
  })
  expect(sent.status).toBe(200)
  killed.kill('SIGKILL')
  await killed.ended
  // The engine ends a moment later.
  await eventually(async () => expect(await isAnswered(join(folder, 'engine.sock'))).toBe(false))
  const names = () => readdirSync(folder, { recursive: true }).map(String).toSorted()
  const before = names()
  expect(before).toContain('analytics.duckdb.wal')
  const own = withMounts(`mount --bind '${folder}' '${folder}' && mount -o remount,bind,ro '${folder}'`)
  // Enough for whoever is not root, who can mount.
  chmodSync(folder, 0o500)
  const command = [process.execPath, launcher, 'check', '--data', folder]
  const { status, stdout, stderr } = spawnSync('env', [...(own ?? []), ...command], { encoding: 'utf8' })
  chmodSync(folder, 0o700)
  expect(stderr).toBe('')
  expect(stdout).toContain('analytics.raw.events: 1 rows')
  expect(stdout.trim().split('\n').at(-1)).toBe(`${folder} is whole.`)
  expect(status).toBe(0)
  expect(names()).toEqual(before)
})

describe('check of a store that is not', () => {
  const copy = () => {
    const folder = join(root, 'copy')
    rmSync(folder, { recursive: true, force: true })
    cpSync(service.folder, folder, { recursive: true })
    return folder
  }
  const change = async (folder: string, sql: string) => {
    const instance = await DuckDBInstance.create(join(folder, 'analytics.duckdb'))
    const connection = await instance.connect()
    await connection.run(sql)
    connection.closeSync()
    instance.closeSync()
  }
  const flip = (file: string, at: (length: number) => number) => {
    const bytes = readFileSync(file)
    const place = at(bytes.length)
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place)
    writeFileSync(file, bytes)
  }

  it.each([
    ['DELETE FROM raw.events WHERE seq = 5', 'Persons count too few or too many events (1)'],
    ['INSERT INTO raw.events SELECT * FROM raw.events WHERE seq = 5', 'Events are there twice (1)'],
    ["UPDATE raw.persons SET events = events + 3 WHERE person_id = 'user-5'", 'too many events (3)'],
    [
      "UPDATE raw.persons SET person_key = 1 WHERE person_id = 'user-5'",
      'Persons have a wrong key, or are there twice (1)',
    ],
    [
      "UPDATE raw.id_map SET id_key = 1 WHERE distinct_id = 'user-5'",
      'Ids have a wrong key, or are there twice (1)',
    ],
    [
      "INSERT INTO raw.sessions (session_key, environment, session_id, events) VALUES (1, 'production', 's', 3)",
      'Sessions count too few or too many events (3)',
    ],
    [
      "INSERT INTO raw.sessions (session_key, environment, session_id, events) VALUES (1, 'production', 's', 0)",
      'Sessions have a wrong key, or are there twice (1)',
    ],
    [
      "UPDATE raw.events SET path = '/x' WHERE seq = 5",
      'Events have a wrong key, path or mark of a touch (1)',
    ],
    ['UPDATE raw.position SET applied = 1990', 'Events are after the position in the log (10)'],
    [
      'UPDATE raw.store SET version = 99',
      `is of store version 99; this waymark-server reads ${storeVersion}`,
    ],
  ])('after %s says what is wrong', async (sql, text) => {
    const folder = copy()
    await change(folder, sql)
    const { code, lines } = await check(folder)
    expect(wrongIn(lines).join('\n')).toContain(text)
    expect(code).toBe(1)
    expect(lines.at(-1)).toBe(`${folder} is damaged: see the lines that say WRONG.`)
  })

  it('names the log that is not as it was written', async () => {
    const folder = copy()
    const log = join(folder, 'accept-log', 'analytics')
    const segment = join(log, readdirSync(log).at(0)!)
    flip(segment, () => 2000)
    const { code, lines } = await check(folder)
    expect(code).toBe(1)
    expect(wrongIn(lines)).toEqual([expect.stringContaining(`${segment} is overwritten in the middle`)])
  })

  it('names the table whose blocks are not as they were written', async () => {
    const folder = copy()
    const file = join(folder, 'analytics.duckdb')
    flip(file, (length) => length - 100_000)
    const { code, lines, problems } = await check(folder)
    expect(code).toBe(1)
    expect([...wrongIn(lines), problems].join('\n')).toMatch(/cannot be read|damaged/)
  })

  it('says in one sentence that a file cannot be opened', async () => {
    const folder = copy()
    writeFileSync(join(folder, 'analytics.duckdb'), 'x'.repeat(20_000))
    const { code, problems } = await check(folder)
    expect(code).toBe(1)
    expect(problems).toMatch(/^The store is damaged: DuckDB cannot open .*analytics\.duckdb/)
  })
})

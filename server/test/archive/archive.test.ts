import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { changeStore } from '../fixtures/changeStore.js'
import { basic, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { runWaymark } from '../fixtures/runWaymark.js'

const environment = 'production'
const first = Date.UTC(2026, 0, 5)

let root: string
let archive: string
let service: Service
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-archive-'))
  archive = join(root, 'archive')
})
afterEach(async () => {
  await service.close()
  rmSync(root, { recursive: true, force: true })
})

const start = async (more: ServerOptions = {}) => {
  service = await createService({ archiveFolder: archive, dataFolder: join(root, 'data'), ...more })
}
const rowsOf = async (statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error, statement).toBeUndefined()
  return rows
}
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 50 })
const filesIn = (folder = archive) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .toSorted()
const inTable = () => rowsOf('SELECT event FROM analytics.raw.events ORDER BY seq')
const filesRead = async (statement: string) => {
  const [plan] = await rowsOf(`EXPLAIN ANALYZE ${statement}`)
  const counts = [...String(plan![1]).matchAll(/Total Files Read: (\d+)/g)].map(([, count]) => Number(count))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Says that all events in the table were received when they happened. */
const asOnline =
  'UPDATE analytics.raw.events SET received_at = "timestamp" WHERE "timestamp" < \'2026-03-01\''
const age = async (...changes: string[]) => {
  await service.stop()
  await changeStore(service.folder, ...changes)
  await service.restart()
}

/** Three visitors on five days, an event an hour. */
const seed = async () => {
  const events = Array.from({ length: 120 }, (_, n) =>
    event(n % 3 === 0 ? '$pageview' : 'Ordered', {
      ...(n % 2 === 0 ? { distinct_id: `u_${n % 3}` } : { anonymous_id: `a_${n % 3}` }),
      session_id: `s-${Math.floor(n / 8)}`,
      timestamp: first + n * 3_600_000,
      properties: {
        insert_id: `i-${n}`,
        $url: `https://shop.example/maps/${n % 4}`,
        theme: n % 5 === 0 ? 'dark' : 'light',
      },
    }),
  )
  await service.ingest('/track', events)
  await service.ingest(
    '/track',
    event('Elsewhere', { environment: 'staging', distinct_id: 'x', timestamp: first }),
  )
  await service.ingest('/identify', {
    environment,
    distinct_id: 'u_1',
    anonymous_id: 'a_1',
    traits: { plan: 'pro' },
  })
  await service.ingest('/track?sync=true', event('Now', { distinct_id: 'u_0' }))
}
const whenArchived = () => eventually(async () => expect(await inTable()).toEqual([['Now']]))

const questions = [
  'FROM events ORDER BY event_id',
  'FROM persons ORDER BY person_id',
  'FROM all_sessions ORDER BY session_id',
  'FROM page_views ORDER BY event_id',
  `FROM daily('2026-01-05', '2026-01-10')`,
  `FROM sessions('2026-01-06', '2026-01-08')`,
  `FROM breakdown('Ordered', 'theme')`,
  `FROM paths('/maps/0')`,
  `FROM retention('$pageview', 'Ordered', 'day')`,
  `FROM funnel(['/maps/0', 'Ordered'], INTERVAL 1 DAY)`,
  'FROM first_touch()',
]
/** Without the moments at which events were received, which the tests change. */
const answers = async () => {
  const all: unknown[] = []
  for (const each of questions)
    all.push(await rowsOf(each.replace('FROM events', 'SELECT * EXCLUDE (received_at) FROM events')))
  return all
}
describe('the archive', () => {
  it('takes the events of closed days out of the table, and every answer stays as it was', async () => {
    await start()
    await seed()
    const before = await answers()
    await age(asOnline)
    await whenArchived()
    expect(await answers()).toEqual(before)
    expect(filesIn().map((name) => name.replace(/events-.*/, ''))).toEqual([
      ...[5, 6, 7, 8, 9].map((day) => `environment=production/day=2026-01-0${day}/late=false/`),
      'environment=staging/day=2026-01-05/late=false/',
    ])
    const path = `${archive}/environment=production/*/*/*.parquet`
    await service.stop()
    await changeStore(
      service.folder,
      `CREATE TABLE analytics.raw.seen AS SELECT count(*) AS n FROM read_parquet('${path}')`,
    )
    await service.restart()
    expect(await rowsOf('SELECT n FROM analytics.raw.seen')).toEqual([[120]])
  })

  it('opens the files of the days that a question is about, and none for later ones', async () => {
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    const of = (condition: string) => filesRead(`SELECT count(*) FROM events WHERE ${condition}`)
    expect(await of(`timestamp >= '2026-03-01'`)).toBe(0)
    expect(await of(`timestamp > now() - INTERVAL 7 DAY`)).toBe(0)
    expect(
      await of(`timestamp >= '2026-01-06' AND timestamp < '2026-01-07' AND environment = 'production'`),
    ).toBe(1)
    expect(await of(`timestamp BETWEEN '2026-01-06 03:00:00' AND '2026-01-07 12:00:00'`)).toBe(2)
    // One of them has no rows, only the names of the columns.
    expect(await of(`received_at < '2026-01-06'`)).toBe(3)
    expect(await of(`environment = 'staging'`)).toBe(1)
    expect(await filesRead(`FROM daily('2026-03-01', '2026-03-08')`)).toBe(0)
    expect(await filesRead(`FROM daily('2026-01-06', '2026-01-07')`)).toBe(1)
  })

  it('finds persons by the ids of today, also those that were merged after their events had been archived', async () => {
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    await service.ingest('/alias?sync=true', { environment, distinct_id: 'a_0', new_user_id: 'u_0' })
    expect(await rowsOf(`SELECT DISTINCT person_id FROM events WHERE anonymous_id = 'a_0'`)).toEqual([
      ['u_0'],
    ])
    expect(await rowsOf(`SELECT events, first_seen FROM persons WHERE person_id = 'u_0'`)).toEqual([
      [41, '2026-01-05T00:00:00+00:00'],
    ])
    await service.ingest(
      '/track?sync=true',
      event('Again', { distinct_id: 'b', properties: { insert_id: 'i-7' } }),
    )
    expect(await rowsOf(`SELECT count(*) FROM events WHERE insert_id = 'i-7'`)).toEqual([[1]])
  })

  it('reads late events from the table at once, moves them to a further file, and leaves wrong clocks where they are', async () => {
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    await service.ingest('/track?sync=true', [
      event('Late', { timestamp: first }),
      event('Far', { timestamp: Date.UTC(1999, 0, 1) }),
      event('Soon', { timestamp: first }),
    ])
    expect(await rowsOf(`SELECT count(*) FROM events WHERE timestamp = '2026-01-05'`)).toEqual([[4]])
    await age(
      `UPDATE analytics.raw.events SET received_at = '2026-01-08 10:00:00' WHERE event IN ('Late', 'Far')`,
      `UPDATE analytics.raw.events SET received_at = '2026-01-05 10:00:00' WHERE event = 'Soon'`,
    )
    await eventually(async () => expect(await inTable()).toEqual([['Now'], ['Far']]))
    expect(
      filesIn()
        .filter((name) => /=production\/day=2026-01-0[58]/.test(name))
        .map((name) => name.replace(/events-(.*)-.*/, '$1')),
    ).toEqual([
      'environment=production/day=2026-01-05/late=false/1-109',
      'environment=production/day=2026-01-05/late=false/126-126',
      'environment=production/day=2026-01-08/late=false/73-96',
      'environment=production/day=2026-01-08/late=true/124-124',
    ])
    expect(await rowsOf(`SELECT count(*), count(DISTINCT event_id) FROM events`)).toEqual([[125, 125]])
    expect(
      await rowsOf(`SELECT event FROM events WHERE timestamp = '2026-01-05' ORDER BY event_id`),
    ).toHaveLength(4)
    expect(
      await filesRead(
        `FROM events WHERE timestamp >= '2026-01-05' AND timestamp < '2026-01-06' AND environment = 'production'`,
      ),
    ).toBe(3)
  })
})

describe('a missing file of the archive', () => {
  it('fails the questions that need it, by its name, and no other; once it is back all is answered', async () => {
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    const lost = filesIn().find((name) => name.includes('day=2026-01-06'))!
    renameSync(join(archive, lost), join(root, 'elsewhere'))
    await eventually(async () =>
      expect(await rowsOf(`SELECT count(*) FROM events WHERE timestamp >= '2026-03-01'`)).toEqual([[1]]),
    )
    expect(await rowsOf(`SELECT count(*) FROM events WHERE timestamp >= '2026-01-08'`)).toEqual([[49]])
    const { error } = await service.query('SELECT count(*) FROM events')
    expect(String(error?.['message'] ?? error)).toContain(`The file ${lost} of the archive is missing`)
    await service.restart()
    expect(await rowsOf(`SELECT count(*) FROM events WHERE timestamp >= '2026-01-08'`)).toEqual([[49]])
    renameSync(join(root, 'elsewhere'), join(archive, lost))
    await eventually(async () => expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[122]]))
  })
})

describe("a person's data in the archive", () => {
  it('is exported, and erased from every file before the erase is done', async () => {
    await start()
    await seed()
    await service.ingest(
      '/track?sync=true',
      event('Shared', { distinct_id: 'bob', anonymous_id: 'a_1', timestamp: first }),
    )
    await age(asOnline)
    await whenArchived()
    const exported = await fetch(`${service.url}/persons/export`, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify({ environment, id: 'a_1' }),
    })
    const lines = (await exported.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ kind }) => kind === 'event')).toHaveLength(40)
    expect(lines.at(-1)).toMatchObject({ kind: 'end', events: 40 })
    const { body } = await service.ask('/persons/erase', { environment, id: 'a_1' })
    expect(body).toMatchObject({ ok: true, erased: { events: 40, unlinked: 1 } })
    expect([...findInFiles(service.folder, 'a_1'), ...findInFiles(archive, 'a_1')]).toEqual([])
    const left = await rowsOf(
      `SELECT DISTINCT coalesce(distinct_id, anonymous_id) AS id FROM events WHERE environment = 'production' ORDER BY 1`,
    )
    expect(left.flat()).toEqual(['a_0', 'a_2', 'bob', 'u_0', 'u_2'])
    expect(await rowsOf('SELECT count(*), count(DISTINCT event_id) FROM events')).toEqual([[83, 83]])
    expect(await rowsOf('SELECT count(*) FROM analytics.raw.events')).toEqual([[1]])
    expect(filesIn()).toHaveLength(6)
    expect(await rowsOf(`SELECT count(*) FROM events WHERE anonymous_id = 'a_1'`)).toEqual([[0]])
  })

  it('is deleted with its day by retention', async () => {
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    const kept = { retentionDays: { production: 30 }, retentionArchive: join(root, 'deleted') }
    await service.stop()
    await start(kept)
    await eventually(async () => expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[2]]))
    expect(await rowsOf('SELECT person_id, events FROM persons ORDER BY 1')).toEqual([
      ['u_0', 1],
      ['u_1', 0],
      ['x', 1],
    ])
    expect(await rowsOf('SELECT sum(events)::INTEGER FROM privacy_log')).toEqual([[120]])
    expect(filesIn(join(root, 'deleted'))).toHaveLength(5)
    await service.stop()
    await start(kept)
    expect(filesIn()).toHaveLength(1)
  })
})

describe('a start with an archive', () => {
  const refused = async (options: ServerOptions, reason: RegExp) => {
    await service.stop()
    await expect(createService({ dataFolder: service.folder, ...options })).rejects.toThrow(reason)
    await service.restart()
  }

  it('is refused in one sentence when the folder is not the one that the store needs', async () => {
    mkdirSync(join(root, 'full'))
    writeFileSync(join(root, 'full', 'a'), '')
    writeFileSync(join(root, 'file'), '')
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    await refused({}, /has events in 6 files of an archive; name its folder by --archive/)
    await refused(
      { archiveFolder: join(root, 'gone') },
      /gone has no archive.json, .* in 6 files of it: mount/,
    )
    const other = await createService({ archiveFolder: join(root, 'other') })
    await other.close()
    await refused({ archiveFolder: join(root, 'other') }, /other belongs to another store/)
    const fresh = { dataFolder: join(root, 'fresh') }
    await refused({ ...fresh, archiveFolder: join(root, 'full') }, /full holds other files/)
    await refused({ ...fresh, archiveFolder: join(root, 'file') }, /file cannot be used: ENOTDIR/)
    await refused({ ...fresh, archiveFolder: '/proc/archive' }, /cannot be used: ENOENT/)
    await refused({ ...fresh, archiveFolder: root }, /holds the data folder/)
    await refused({ ...fresh, archiveFolder: join(root, 'a*') }, /one of the signs/)
  })

  it('removes files that no transaction has counted, and nothing else', async () => {
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    const known = filesIn()
    const folder = join(archive, 'environment=production/day=2026-01-05/late=false')
    await service.stop()
    for (const name of ['events-1-2-aaaa.parquet', 'events-1-2-aaaa.parquet.new', 'mine.parquet'])
      writeFileSync(join(folder, name), '')
    await service.restart()
    expect(filesIn()).toEqual(
      [...known, 'environment=production/day=2026-01-05/late=false/mine.parquet'].toSorted(),
    )
  })
})

describe('the commands', () => {
  it('check, export and backup know of the archive', async () => {
    await start()
    await seed()
    await age(asOnline)
    await whenArchived()
    const data = ['--data', service.folder] as const
    const told = `${archive}: 6 files of the archive with 121 events, as the store says.`
    const running = await runWaymark('check', ...data)
    expect(running.lines.filter((line) => line.includes('archive:') || line.startsWith('WRONG'))).toEqual([
      `ok     ${told}`,
    ])

    const backup = await runWaymark('backup', join(root, 'backup.tar'), ...data)
    expect(backup.lines.at(-1)).toBe(
      `Not in it: 121 events in 6 files of the archive ${archive}. Copy that folder too; its files never change.`,
    )
    await service.stop()
    const exported = await runWaymark('export', '--parquet', join(root, 'export'), ...data)
    expect(exported.lines).toEqual([`9 files are in ${join(root, 'export')}.`])

    const restored = join(root, 'restored')
    const restore = await runWaymark('restore', join(root, 'backup.tar'), '--data', restored)
    expect(restore.lines.at(-1)).toContain(`It needs 6 files of the archive ${archive}`)
    const other = await createService({ dataFolder: restored, archiveFolder: archive })
    const { rows } = await other.query('SELECT count(*) FROM events')
    await other.stop()
    expect(rows).toEqual([[122]])

    const [lost, short] = filesIn()
    rmSync(join(archive, lost!))
    copyFileSync(join(archive, filesIn().at(-1)!), join(archive, short!))
    const stopped = await runWaymark('check', ...data)
    expect(stopped.code).toBe(1)
    expect(stopped.lines.filter((line) => line.startsWith('WRONG'))).toEqual([
      `WRONG  ${archive}/${lost} is missing.`,
      `WRONG  ${archive}/${short} has 1 events, and 24 are to be there.`,
    ])
  })
})

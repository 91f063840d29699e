import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDatabase } from '../../src/analytics/openAnalytics.js'
import { lookForMissing } from '../../src/archive/lookForMissing.js'
import { checkArchive } from '../../src/care/checkCatalogs.js'
import { Logger } from '../../src/Logger.js'
import { completeOptions } from '../../src/options/flags.js'
import * as deletion from '../../src/privacy/deleteDay.js'
import { createMutex } from '../../src/duckdb/transactions.js'
import { DataFolder } from '../../src/disk/DataFolder.js'
import { changeStore } from '../fixtures/changeStore.js'
import { basic } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { answersOf, environment, first, parquetIn } from './oldStore.js'
import { eventually } from '../fixtures/eventually.js'
import { useOldStore } from './useOldStore.js'
import { rounds } from '../fixtures/share.js'

const { rowsOf, inTable, start, startAndArchive } = useOldStore()
/** By each scan; an answer may scan the same files twice. */
const filesRead = async (statement: string) => {
  const plan = await rowsOf(`EXPLAIN ANALYZE ${statement}`)
  const counts = [...String(plan.flat()[1]).matchAll(/Total Files Read: (\d+)/g)].map(([, count]) =>
    Number(count),
  )
  return Math.max(0, ...counts)
}

describe('the archive', () => {
  it('takes the events of closed days out of the table, and every answer stays as it was', async () => {
    const { service, archive, answers } = await startAndArchive()
    expect(await answersOf(service)).toEqual(answers)
    expect(parquetIn(archive).map((name) => name.replace(/events-.*/, ''))).toEqual([
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
    expect(await rowsOf('SELECT n FROM analytics.raw.seen')).toEqual([[121]])
  })

  it('opens the files of the days that a question is about, and none for later ones', async () => {
    await startAndArchive()
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
    expect(await filesRead(`FROM first_touch('2026-01-06', '2026-01-07')`)).toBe(1)
    // One of the three sessions began before.
    expect(
      await rowsOf(`SELECT sessions, page_views, events FROM daily('2026-01-06 03:00:00', '2026-01-07')`),
    ).toEqual([[3, 7, 21]])
  })

  it('finds persons by the ids of today, also after a later merge, and drops a second copy of an archived event', async () => {
    const { service } = await startAndArchive({ insertIdWindowMs: 400 * 86_400_000 })
    await service.ingest('/alias?sync=true', { environment, distinct_id: 'a_0', new_user_id: 'u_0' })
    expect(await rowsOf(`SELECT DISTINCT person_id FROM events WHERE anonymous_id = 'a_0'`)).toEqual([
      ['u_0'],
    ])
    expect(await rowsOf(`SELECT events, first_seen FROM persons WHERE person_id = 'u_0'`)).toEqual([
      [41, '2026-01-05T00:00:00+00:00'],
    ])
    await service.stop()
    rmSync(join(service.folder, 'insert-ids'), { recursive: true })
    await service.restart()
    await service.ingest(
      '/track?sync=true',
      event('Ordered', { distinct_id: 'b', properties: { insert_id: 'i-7' } }),
    )
    expect(await rowsOf(`SELECT count(*) FROM events WHERE insert_id = 'i-7'`)).toEqual([[1]])
  })

  it('reads late events from the table at once, moves them to a further file, and leaves wrong clocks where they are', async () => {
    const { service, archive } = await startAndArchive()
    await service.ingest('/track?sync=true', [
      event('Late', { timestamp: first }),
      event('Far', { timestamp: Date.UTC(1999, 0, 1) }),
      event('Soon', { timestamp: first }),
    ])
    expect(await rowsOf(`SELECT count(*) FROM events WHERE timestamp = '2026-01-05'`)).toEqual([[5]])
    await service.stop()
    await changeStore(
      service.folder,
      `UPDATE analytics.raw.events SET received_at = '2026-01-08 10:00:00' WHERE event IN ('Late', 'Far')`,
      `UPDATE analytics.raw.events SET received_at = '2026-01-05 10:00:00' WHERE event = 'Soon'`,
    )
    await service.restart()
    await eventually(async () => expect(await inTable()).toEqual([['Now'], ['Far']]))
    expect(
      parquetIn(archive)
        .filter((name) => /=production\/day=2026-01-0[58]/.test(name))
        .map((name) => name.replace(/events-(.*)-.*/, '$1')),
    ).toEqual([
      'environment=production/day=2026-01-05/late=false/1-123',
      'environment=production/day=2026-01-05/late=false/127-127',
      'environment=production/day=2026-01-08/late=false/73-96',
      'environment=production/day=2026-01-08/late=true/125-125',
    ])
    expect(await rowsOf(`SELECT count(*), count(DISTINCT event_id) FROM events`)).toEqual([[126, 126]])
    expect(
      await rowsOf(`SELECT event FROM events WHERE timestamp = '2026-01-05' ORDER BY event_id`),
    ).toHaveLength(5)
    expect(
      await filesRead(
        `FROM events WHERE timestamp >= '2026-01-05' AND timestamp < '2026-01-06' AND environment = 'production'`,
      ),
      // The file of late events is read apart.
    ).toBe(2)
  })
})

it('makes the keys of events anew in a file that a DuckDB has written which hashes differently', async () => {
  const { service, archive, answers } = await startAndArchive()
  await service.stop()
  const file = parquetIn(archive).at(0)!
  const copied = join(archive, 'copy')
  await changeStore(
    service.folder,
    `COPY (SELECT * REPLACE (1::UBIGINT AS id_key, 2::UBIGINT AS session_key)
       FROM read_parquet('${join(archive, file)}', hive_partitioning = false))
     TO '${copied}' (FORMAT parquet)`,
  )
  const sum = createHash('sha256').update(readFileSync(copied)).digest('hex')
  const other = file.replace(/-[^-]{8}([^-]*).{64}\.parquet$/, `-00000000$1${sum}.parquet`)
  renameSync(copied, join(archive, other))
  await changeStore(
    service.folder,
    `UPDATE analytics.raw.archived_files SET file = '${other}' WHERE file = '${file}'`,
  )
  await service.restart()
  expect(await answersOf(service)).toEqual(answers)
})

/** Turns one bit of a file around. */
const flip = (path: string, at: number) => {
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3)
  writeFileSync(path, bytes)
}

describe('a file of the archive with a flipped bit', () => {
  it('fails the questions that need it, by its name, and no other; once it is put back all is answered', async () => {
    const { service, archive } = await startAndArchive()
    const file = parquetIn(archive).find((name) => name.includes('day=2026-01-06'))!
    await service.stop()
    flip(join(archive, file), 8 * 700)
    await service.restart()
    await eventually(async () => {
      const { error } = await service.query('SELECT count(*) FROM events')
      expect(String(error?.['message'])).toContain(`The file ${file} of the archive is missing or damaged`)
    })
    expect(await rowsOf(`SELECT count(*) FROM events WHERE timestamp >= '2026-01-08'`)).toEqual([[49]])
    flip(join(archive, file), 8 * 700)
    await eventually(async () => expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[123]]))
  })

  it('is named by check, whichever bit it is', async () => {
    const { service, archive } = await startAndArchive()
    await service.stop()
    const file = parquetIn(archive).at(0)!
    const path = join(archive, file)
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(`ATTACH '${join(service.folder, 'analytics.duckdb')}' AS analytics`)
    await connection.run('BEGIN TRANSACTION')
    const wrongOf = async () => (await checkArchive(connection)).filter(({ ok }) => !ok)
    expect(await wrongOf()).toEqual([])
    const bits = 8 * statSync(path).size
    const flips = rounds(40)
    for (let n = 0; n < flips; n++) {
      const at = Math.floor(((n + 0.5) * bits) / flips)
      flip(path, at)
      expect(await wrongOf()).toMatchObject([{ text: expect.stringContaining(file) }])
      flip(path, at)
    }
    connection.closeSync()
    instance.closeSync()
  })
})

describe('a missing file of the archive', () => {
  it('fails the questions that need it, by its name, and no other; once it is back all is answered', async () => {
    const { service, root, archive } = await startAndArchive()
    const lost = parquetIn(archive).find((name) => name.includes('day=2026-01-06'))!
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
    await eventually(async () => expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[123]]))
  })

  it('is found when it is back before anything has looked for it', async () => {
    const { service, root, archive } = await startAndArchive()
    const lost = parquetIn(archive).at(0)!
    await service.stop()
    renameSync(join(archive, lost), join(root, 'elsewhere'))
    const folder = new DataFolder(service.folder)
    const place = { path: archive, temp: folder.temp, isShared: false, damaged: new Set<string>() }
    const database = await openDatabase(folder, completeOptions({ memoryLimit: '256MB' }), place)
    renameSync(join(root, 'elsewhere'), join(archive, lost))
    const chore = lookForMissing({ archive: place, oneAtATime: createMutex(), logger: new Logger('silent') })
    await database.use(async (connection) => {
      await chore.run(connection, () => false)
      const reader = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM analytics.raw.all_events')
      expect(reader.getRows()).toEqual([[123]])
    })
    await database.close()
  })
})

describe("a person's data in the archive", () => {
  it('is exported, and erased from every file before the erase is done', async () => {
    const { service, archive } = await startAndArchive()
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
    expect(parquetIn(archive)).toHaveLength(6)
    expect(await rowsOf(`SELECT count(*) FROM events WHERE anonymous_id = 'a_1'`)).toEqual([[0]])
  })

  it('is deleted with its day by retention', async () => {
    const { service, root, archive } = await startAndArchive()
    const kept = { retentionDays: { production: 30 }, retentionArchive: join(root, 'deleted') }
    await service.stop()
    const again = await start(kept)
    await eventually(async () => expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[2]]))
    expect(await rowsOf('SELECT person_id, events FROM persons ORDER BY 1')).toEqual([
      ['u_0', 1],
      ['u_1', 0],
      ['x', 1],
    ])
    expect(await rowsOf('SELECT sum(events)::INTEGER FROM privacy_log')).toEqual([[121]])
    expect(parquetIn(join(root, 'deleted'))).toHaveLength(5)
    await again.stop()
    await start(kept)
    expect(parquetIn(archive)).toHaveLength(1)
  })

  it('takes its events from their persons once, although two have read it on the list', async () => {
    const { service } = await startAndArchive()
    await service.stop()
    // A shared archive may take a file off the list while retention is about to.
    const { deleteFile } = deletion
    const spy = vi.spyOn(deletion, 'deleteFile').mockImplementation(async (...given) => {
      const events = await deleteFile(...given)
      return events + (await deleteFile(...given))
    })
    onTestFinished(() => spy.mockRestore())
    await start({ retentionDays: { production: 30 } })
    await eventually(async () => expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[2]]))
    expect(await rowsOf('SELECT person_id, events FROM persons ORDER BY 1')).toEqual([
      ['u_0', 1],
      ['u_1', 0],
      ['x', 1],
    ])
    expect(await rowsOf('SELECT sum(events)::INTEGER FROM privacy_log')).toEqual([[121]])
  })
})

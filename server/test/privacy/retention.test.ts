import { existsSync, mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { setAside, settingAside } from '../fixtures/setAside.js'
import { eventually } from '../fixtures/eventually.js'

let root: string
let archive: string
let service: Service
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-retention-'))
  archive = join(root, 'archive')
})
afterEach(async () => {
  await service.close()
  rmSync(root, { recursive: true, force: true })
})

const start = async (more: ServerOptions = {}) => {
  const options = { retentionDays: { production: 400 }, retentionArchive: archive }
  service = await createService({ ...settingAside, ...options, dataFolder: join(root, 'data'), ...more })
  // Events that a test makes older say nothing of when the service ran.
  const note = join(service.folder, 'clock.json')
  if (!existsSync(note)) writeFileSync(note, JSON.stringify({ ranAt: new Date().toISOString() }))
}
const rowsOf = async (statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error).toBeUndefined()
  return rows
}

const withDuckdb = async <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  try {
    return await work(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Starts the service again after events were made older. */
const age = async (...changes: string[]) => {
  await service.stop()
  await withDuckdb(async (connection) => {
    await connection.run(`ATTACH '${join(service.folder, 'analytics.duckdb')}' AS analytics`)
    for (const each of changes) await connection.run(each)
    await connection.run('DETACH analytics')
  })
  await service.restart()
}
const old = (table: string, condition: string, time = "TIMESTAMPTZ '2020-05-01 12:00:00+00'") =>
  `UPDATE analytics.raw.${table} SET received_at = ${time} WHERE ${condition}`

const archived = () =>
  withDuckdb(async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT event_id::INT, event, person_id, environment, day::VARCHAR, properties
       FROM read_parquet('${archive}/*/*/*.parquet', hive_partitioning = true) ORDER BY ALL`,
    )
    return reader.getRows()
  })

const yearAgo = new Date(Date.now() - 365 * 86_400_000).toISOString()

const seed = async () => {
  const of = (id: string, more = {}) => event('Old', { distinct_id: id, ...more })
  await service.ingest('/track', [
    of('gone', { anonymous_id: 'browser' }),
    of('gone'),
    of('stays'),
    of('known'),
  ])
  await service.ingest('/track', of('elsewhere', { environment: 'staging' }))
  await service.ingest('/identify', {
    environment: 'production',
    distinct_id: 'known',
    traits: { plan: 'pro' },
  })
  await service.ingest('/identify', { environment: 'production', distinct_id: 'gone' })
  await setAside(service, 'gone', {})
  await service.ingest('/track', event('New', { distinct_id: 'stays' }))
}

describe('retention', () => {
  it('deletes the events of old days, once they are in the archive, and says so in the log', async () => {
    await start()
    await seed()
    expect(await rowsOf('SELECT count(*) FROM analytics.rejected')).toEqual([[1]])
    await age(
      old('events', "event = 'Old' AND distinct_id <> 'known'"),
      old('events', "distinct_id = 'known'", "TIMESTAMPTZ '2020-05-02 00:00:00+00'"),
      old('rejected', 'true', "TIMESTAMP '2020-05-02 01:00:00'"),
    )
    await eventually(async () => {
      expect(
        await rowsOf(
          'SELECT duty, environment, day, events, rejected, asked_by FROM privacy_log ORDER BY day',
        ),
      ).toEqual([
        ['retention', 'production', '2020-05-01', 3, 0, null],
        ['retention', 'production', '2020-05-02', 1, 1, null],
      ])
    })
    expect(await rowsOf('SELECT event, person_id FROM events ORDER BY event_id')).toEqual([
      ['Old', 'elsewhere'],
      ['New', 'stays'],
    ])
    expect(await rowsOf('SELECT person_id, events FROM persons ORDER BY 1')).toEqual([
      ['elsewhere', 1],
      ['known', 0],
      ['stays', 1],
    ])
    expect(await rowsOf('SELECT DISTINCT distinct_id FROM identities ORDER BY 1')).toEqual([
      ['elsewhere'],
      ['known'],
      ['stays'],
    ])
    expect(await archived()).toEqual([
      [1, 'Old', 'gone', 'production', '2020-05-01', '{}'],
      [2, 'Old', 'gone', 'production', '2020-05-01', '{}'],
      [3, 'Old', 'stays', 'production', '2020-05-01', '{}'],
      [4, 'Old', 'known', 'production', '2020-05-02', '{}'],
    ])
    expect(readdirSync(archive, { recursive: true }).filter((name) => String(name).endsWith('.new'))).toEqual(
      [],
    )
  })

  it('keeps a day that is not older than it as a whole', async () => {
    await start()
    await service.ingest('/track?sync=true', [event('Late'), event('Kept')])
    const first = "date_trunc('day', timezone('UTC', now())) - INTERVAL 400 DAY"
    await age(
      old('events', "event = 'Kept'", `timezone('UTC', ${first})`),
      old('events', "event = 'Late'", `timezone('UTC', ${first} - INTERVAL 1 MILLISECOND)`),
    )
    await eventually(async () => expect(await rowsOf('SELECT event FROM events')).toEqual([['Kept']]))
  })

  it.each(['table', 'archive'])(
    'keeps in the %s what was accepted while the clock was behind, as long as what came before',
    async (place) => {
      const lines: string[] = []
      const archiving = { archiveFolder: join(root, 'files'), archiveAfterDays: 1 }
      // A busy machine also warns of rows that are stored late.
      const writeLog = (line: string) => {
        if (line.includes('the clock may have been behind')) lines.push(line)
      }
      const logged = { writeLog, logLevel: 'warn' } as const
      await start({ ...logged, ...(place === 'archive' && archiving) })
      for (const name of ['Old', 'Right', 'Behind', 'New'])
        await service.ingest('/track?sync=true', event(name))
      await setAside(service, 'behind', {})
      await age(
        old('events', "event = 'Old'"),
        old('events', "event = 'Right'", 'now() - INTERVAL 100 DAY'),
        old('events', "event = 'Behind'", "TIMESTAMPTZ '2020-05-02 12:00:00+00'"),
        old('rejected', 'true', "TIMESTAMP '2020-05-02 12:00:00'"),
        'UPDATE analytics.raw.events SET "timestamp" = received_at',
      )
      const names = (table: string) => rowsOf(`SELECT event FROM ${table} ORDER BY ALL`)
      await eventually(async () => expect(await names('events')).toEqual([['Behind'], ['New'], ['Right']]))
      for (const times of [1, 2]) {
        await eventually(() => Promise.resolve(expect(lines).toHaveLength(times)))
        expect(JSON.parse(lines.at(-1)!)).toMatchObject({ environment: 'production', days: '2020-05-02' })
        expect(await names('events')).toEqual([['Behind'], ['New'], ['Right']])
        expect(await rowsOf('SELECT count(*) FROM analytics.rejected')).toEqual([[1]])
        if (place === 'archive')
          await eventually(async () => expect(await names('analytics.raw.events')).toEqual([['New']]))
        if (times === 1) await service.restart()
      }
    },
  )

  it.each([
    ['ran last a year ago', (note: string) => writeFileSync(note, JSON.stringify({ ranAt: yearAgo }))],
    ['has a store whose newest event is as old', (note: string) => rmSync(note, { force: true })],
  ])('deletes nothing when the service %s, until somebody has checked the clock', async (_, change) => {
    const lines: string[] = []
    const logged = { logLevel: 'error', writeLog: (line: string) => lines.push(line) } as const
    await start(logged)
    const note = join(service.folder, 'clock.json')
    await service.ingest('/track?sync=true', event('Old'))
    await service.stop()
    change(note)
    await age(old('events', 'true'))
    await eventually(() => Promise.resolve(expect(lines).toHaveLength(1)))
    // It may be another day by now.
    const [, today = ''] = /The clock says ([\d-]+),/.exec(lines.join('\n'))!
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^The clock says ${today}, and the service ran last on 20.*--clock-checked ${today}\\.$`),
      ),
    })
    expect(await rowsOf('SELECT event FROM events')).toEqual([['Old']])
    await service.stop()

    await start({ ...logged, clockChecked: today })
    await eventually(async () => expect(await rowsOf('SELECT event FROM events')).toEqual([]))
    // From here on it is known again without being told.
    expect(readFileSync(note, 'utf8')).toContain(today.slice(0, 4))
  })

  it('deletes nothing that could not be archived', async () => {
    mkdirSync(archive)
    writeFileSync(join(archive, 'environment=production'), 'a file where a folder should be')
    const lines: string[] = []
    await start({ logLevel: 'error', writeLog: (line) => lines.push(line) })
    await service.ingest('/track?sync=true', event('Old'))
    await age(old('events', 'true'))
    await eventually(async () => {
      await service.get('/query/none')
      expect(lines.join('')).toContain('could not be deleted')
    })
    expect(await rowsOf('SELECT event FROM events')).toEqual([['Old']])
  })

  it('adds to the archive of a day what a kill or a late start has left, and overwrites nothing', async () => {
    await start()
    await service.ingest('/track?sync=true', [event('a'), event('b'), event('c')])
    // The first two are in the archive already, and one of them is deleted.
    const folder = join(archive, 'environment=production', 'day=2020-05-01')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'events-1-2.parquet'), 'as it was')
    await age(old('events', 'true'), "DELETE FROM analytics.raw.events WHERE event = 'a'")
    await eventually(async () => expect(await rowsOf('SELECT event FROM events')).toEqual([]))
    expect(readdirSync(folder).toSorted()).toEqual(['events-1-2.parquet', 'events-3-3.parquet'])
  })

  it('goes by slices while events are stored', async () => {
    await start({ retentionArchive: undefined })
    const many = Array.from({ length: 45_000 }, (_, n) => event('Old', { distinct_id: `person ${n % 100}` }))
    await service.ingest('/track?sync=true', many)
    await age(old('events', 'true'))
    let sent = 0
    await eventually(async () => {
      await service.ingest('/track', event('New', { distinct_id: 'person 7', properties: { n: sent++ } }))
      expect(await rowsOf("SELECT count(*) FROM events WHERE event = 'Old'")).toEqual([[0]])
    })
    await service.ingest('/track?sync=true', event('Last', { distinct_id: 'last' }))
    expect(await rowsOf('SELECT person_id, events FROM persons ORDER BY 1')).toEqual([
      ['last', 1],
      ['person 7', sent],
    ])
    expect(await rowsOf(`SELECT events FROM privacy_log`)).toEqual([[45_000]])
  })

  it('is refused with an archive in the data folder', async () => {
    await start()
    const options = { retentionArchive: join(root, 'data', 'archive'), dataFolder: join(root, 'data') }
    await service.stop()
    await expect(createService(options)).rejects.toThrow('lies in the data folder')
  })
})

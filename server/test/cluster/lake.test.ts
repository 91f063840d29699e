import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatabase } from '../../src/analytics/openAnalytics.js'
import { deleteFile } from '../../src/privacy/deleteDay.js'
import { Lake } from '../../src/cluster/lake/Lake.js'
import { cleanLake } from '../../src/cluster/lake/removeEnded.js'
import { Logger } from '../../src/Logger.js'
import { completeOptions } from '../../src/options/flags.js'
import { addressesOf } from '../../src/options/values.js'
import { createMutex } from '../../src/duckdb/transactions.js'
import { DataFolder } from '../../src/disk/DataFolder.js'
import { parquetIn } from '../archive/oldStore.js'
import type { Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { createDatabase } from './createDatabase.js'
import { readDuckLake } from './readDuckLake.js'
import { firstDay } from './fillLog.js'
import { rowsOf, useLake, whenArchived } from './useLake.js'
import { eventually } from '../fixtures/eventually.js'

const stage = useLake()
const { start } = stage
const counted =
  "SELECT count(*), count(DISTINCT event_id), sum((properties->>'n')::INTEGER)::INTEGER FROM events WHERE event = 'numbered'"
/** All that each store must agree on. */
const answersOf = (service: Service) =>
  Promise.all(
    [
      'FROM events ORDER BY event_id',
      'FROM persons ORDER BY person_id',
      'FROM all_sessions ORDER BY session_id',
      `FROM daily('2026-01-05', '2026-01-10')`,
      'FROM first_touch() ORDER BY ALL',
    ].map((statement) => rowsOf(service, statement)),
  )
const sumUpTo = (count: number) => (count * (count - 1)) / 2

/** Five closed days, and an event of today that stays in the tables. */
const fill = async (service: Service) => {
  for (let day = 0; day < 5; day++) await stage.filler.numbered(day, 40)
  await service.ingest('/track?sync=true', event('Now', { distinct_id: 'u_0' }))
}
it('one store archives, the others take its files over, and every answer stays as it was', async () => {
  const plain = await start('plain', { archiveFolder: undefined })
  await fill(plain)
  const answers = await answersOf(plain)
  const [one, two] = [await start('one'), await start('two')]
  await whenArchived(one, two)
  expect(await answersOf(one)).toEqual(answers)
  expect(await answersOf(two)).toEqual(answers)
  expect(parquetIn(stage.archive).map((name) => name.replace(/-[^-]*$/, ''))).toEqual(
    [0, 1, 2, 3, 4].map(
      (day) =>
        `environment=production/day=2026-01-0${5 + day}/late=false/events-${1 + 40 * day}-${40 + 40 * day}`,
    ),
  )
  await two.restart()
  expect(await answersOf(two)).toEqual(answers)
})

it('the archive goes on in another store once the first one is gone, and a store that was away takes all of it over', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  const two = await start('two')
  await whenArchived(two)
  await one.stop()
  await stage.filler.numbered(7, 30)
  for (const store of [two, one]) {
    await store.restart()
    await eventually(async () => expect(await rowsOf(store, counted)).toEqual([[230, 230, sumUpTo(230)]]))
    await whenArchived(store)
    expect(await rowsOf(store, counted)).toEqual([[230, 230, sumUpTo(230)]])
  }
  expect(await answersOf(one)).toEqual(await answersOf(two))
})

it('small files of late events become one, in every store, and an erase finds the person in it', async () => {
  const plain = await start('plain', { archiveFolder: undefined })
  const timestamp = firstDay + 7_200_000
  await stage.filler.put(timestamp, [event('Seen', { distinct_id: 'u_ada_9f3e', timestamp })])
  await fill(plain)
  const [one, two] = [await start('one'), await start('two')]
  await whenArchived(one, two)
  const sizes = async () => {
    const rows = await stage.database.query<{ events: number }>(
      `SELECT record_count::int AS events FROM waymark.ducklake_data_file
       WHERE end_snapshot IS NULL AND path LIKE '%day=2026-01-05%' ORDER BY 1`,
    )
    return rows.map(({ events }) => events)
  }
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
  const becomes = (wanted: number[]) => eventually(async () => expect(await sizes()).toEqual(wanted))
  /** Each batch becomes a file before the next one comes. */
  const addBatches = async (batches: number, events: number) => {
    for (let batch = 0; batch < batches; batch++) {
      const before = sum(await sizes())
      await stage.filler.numbered(0, events)
      await eventually(async () => expect(sum(await sizes())).toBe(before + events))
    }
  }
  await addBatches(3, 40)
  await becomes([161])
  await two.stop()
  // The large one is not written anew with the next ones.
  await addBatches(4, 20)
  await becomes([80, 161])
  await two.restart()
  const answers = await answersOf(plain)
  for (const store of [one, two]) {
    await whenArchived(store)
    await eventually(async () => expect(await answersOf(store)).toEqual(answers))
  }
  const { rows } = await readDuckLake(stage.database, (from) => `SELECT count(*)::INTEGER FROM ${from}`)
  expect(rows).toEqual([[401]])
  await plain.stop()
  await stage.database.query(
    "UPDATE waymark.readers SET seen = now() - interval '1 minute' WHERE place LIKE '%plain'",
  )
  expect(findInFiles(stage.archive, 'u_ada_9f3e')).not.toEqual([])
  const person = { environment: 'production', id: 'u_ada_9f3e' }
  expect(await two.ask('/persons/erase', person)).toMatchObject({ body: { erased: { events: 1 } } })
  expect(findInFiles(stage.archive, 'u_ada_9f3e')).toEqual([])
  expect(await sizes()).toEqual([80, 160])
})

it('while the folder is away, questions that need it fail by its name, and all else goes on', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  renameSync(stage.archive, `${stage.archive}-away`)
  await eventually(async () => {
    const { error } = await one.query(counted)
    expect(String(error?.['message'] ?? error)).toMatch(/The file environment=.* is missing/)
  })
  await one.ingest('/track?sync=true', event('Later'))
  const newest = `SELECT count(*) FROM events WHERE timestamp > '2026-06-01'`
  await eventually(async () => expect(await rowsOf(one, newest)).toEqual([[2]]))
  await one.restart()
  expect(await rowsOf(one, newest)).toEqual([[2]])
  const two = await start('two')
  await eventually(async () => expect(await rowsOf(two, newest)).toEqual([[2]]))
  expect(existsSync(stage.archive)).toBe(false)
  renameSync(`${stage.archive}-away`, stage.archive)
  for (const service of [one, two])
    await eventually(async () => expect(await rowsOf(service, counted)).toEqual([[200, 200, sumUpTo(200)]]))
})

it('a folder of another log is refused by name', async () => {
  await start('one')
  await eventually(async () => {
    const made = await stage.database.query('SELECT count(*)::int FROM waymark.ducklake_snapshot')
    expect(made).toEqual([{ count: 2 }])
  })
  stage.database = await createDatabase(stage.cluster.primary)
  await expect(start('two')).rejects.toThrow(`The archive ${stage.archive} belongs to another log`)
})

it('a reader that knows only the words of DuckLake’s specification finds the events, their columns and their bounds', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  const own = `SELECT event_id, strftime(received_at, '%c'), strftime("timestamp", '%c'), environment, event, distinct_id,
    session_id, insert_id, properties::VARCHAR, anonymous FROM events WHERE event <> 'Now' ORDER BY 1`
  const { rows, files, columns } = await readDuckLake(stage.database, (events) =>
    own.replace('FROM events', `FROM ${events}`).replaceAll('event_id', 'seq'),
  )
  expect(rows.map(([seq, ...more]) => [Number(seq), ...more])).toEqual(await rowsOf(one, own))
  expect(rows).toHaveLength(200)
  expect(files.map(({ record_count: count }) => Number(count))).toEqual([40, 40, 40, 40, 40])
  for (const { path, file_size_bytes: bytes } of files)
    expect(statSync(join(stage.archive, path)).size).toBe(Number(bytes))
  const numberOf = (name: string) => columns.find((column) => column.column_name === name)?.column_id
  // As a reader asks that looks for one day: the others' files can have nothing for it.
  const found = await stage.database.query<{ path: string }>(
    `SELECT path FROM waymark.ducklake_file_column_stats JOIN waymark.ducklake_data_file USING (data_file_id)
     WHERE column_id = $1 AND ('2026-01-07' >= min_value::timestamptz OR min_value IS NULL)
       AND ('2026-01-07' <= max_value::timestamptz OR max_value IS NULL)`,
    [numberOf('timestamp')],
  )
  expect(found.map(({ path }) => path)).toEqual([expect.stringContaining('day=2026-01-07')])
  const listed = await stage.database.query(
    'SELECT column_id FROM waymark.ducklake_file_column_stats GROUP BY 1 HAVING count(*) = 5',
  )
  expect(listed).toHaveLength(columns.length)
})

/** Opens the part that a stopped service's store has in the lake. */
const openLake = async (service: Service, applied: () => number) => {
  const folder = new DataFolder(service.folder)
  const archive = { path: stage.archive, temp: folder.temp, isShared: true, damaged: new Set<string>() }
  const database = await openDatabase(folder, completeOptions({ memoryLimit: '256MB' }), archive)
  const [log] = await stage.database.query<{ id: string }>('SELECT id FROM waymark.head')
  const lake = new Lake({
    deleteFile,
    ...{ archive, database, addresses: addressesOf(stage.database.url), oneAtATime: createMutex() },
    ...{ log: log?.id ?? '', reader: 'two', applied, logger: new Logger('silent') },
  })
  await lake.start()
  return { lake, database, archive }
}

it('a file that is on its way to the list is not taken for one that a kill has left', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  await one.stop()
  const { lake, database, archive } = await openLake(one, () => 201)
  await eventually(() => expect(lake.isArchiver).toBe(true))
  const file = join(
    archive.path,
    parquetIn(archive.path)
      .at(0)!
      .replace(/-[^-]*$/, '-0123456789abcdef.parquet'),
  )
  const clean = () => database.use((connection) => cleanLake({ lake, archive }).run(connection, () => false))
  await lake.write(async () => {
    writeFileSync(file, '')
    await clean()
    expect(existsSync(file)).toBe(true)
  })
  await clean()
  expect(existsSync(file)).toBe(false)
  await lake.close()
  await database.close()
})

it('a file that another store has removed meanwhile is not listed', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  await one.stop()
  const { lake, database } = await openLake(one, () => 201)
  await eventually(() => expect(lake.isArchiver).toBe(true))
  const before = lake.adopted
  const gone = { path: 'gone.parquet', events: 1, bytes: 1, footer: 1, columns: [] }
  const listing = lake.commit({ kind: 'merge', through: 0, ended: [], begun: [gone] })
  await expect(listing).rejects.toThrow('gone.parquet is gone: another process has archived meanwhile')
  await lake.look()
  expect(lake.adopted).toBe(before)
  await lake.close()
  await database.close()
})

it('a file that a killed store has left is removed by the next one that archives, as soon as it does', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  const two = await start('two')
  await whenArchived(two)
  const file = join(
    stage.archive,
    parquetIn(stage.archive)
      .at(0)!
      .replace(/-[^-]*$/, '-0123456789abcdef.parquet'),
  )
  // The first store has looked for such files once it began to archive, and will again in an hour.
  writeFileSync(file, '')
  await one.stop()
  await eventually(() => expect(existsSync(file)).toBe(false))
})

it('a store takes a snapshot over once it has all rows that its files hold', async () => {
  const [one, two] = [await start('one'), await start('two', { archiveFolder: undefined })]
  await fill(one)
  await whenArchived(one)
  await eventually(async () => expect(await rowsOf(two, counted)).toEqual([[200, 200, sumUpTo(200)]]))
  await two.stop()
  // The first 100 rows end within the third day.
  let applied = 100
  const { lake, database } = await openLake(two, () => applied)
  const left = () =>
    database.use(async (connection) =>
      (await connection.runAndReadAll('SELECT count(*)::INTEGER FROM analytics.raw.events')).getRows().flat(),
    )
  await eventually(async () => expect(await left()).toEqual([201 - 80]))
  await lake.look()
  expect(await left()).toEqual([201 - 80])
  applied = 201
  await eventually(async () => expect(await left()).toEqual([1]))
  await lake.close()
  await database.close()
})

it('retention takes files off the list for all stores, and the persons have fewer events in each', async () => {
  const kept = Math.ceil((Date.now() - firstDay) / 86_400_000) - 2
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  await one.stop()
  // The first day or two are too old for this one alone, which archives.
  const again = await start('one', { retentionDays: { production: kept } })
  const [[left]] = (await eventually(async () => {
    const rows = await rowsOf(again, 'SELECT count(*) FROM events')
    expect(Number(rows.flat()[0])).toBeLessThan(201)
    return rows
  })) as [[number]]
  const two = await start('two')
  await eventually(async () => expect(await rowsOf(two, 'SELECT count(*) FROM events')).toEqual([[left]]))
  const persons = 'SELECT person_id, events FROM persons ORDER BY 1'
  expect(await rowsOf(two, persons)).toEqual(await rowsOf(again, persons))
  const listed = await readDuckLake(stage.database, (events) => `SELECT count(*)::INTEGER FROM ${events}`)
  expect(listed.rows).toEqual([[left - 1]])
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Lake } from '../../src/cluster/lake/Lake.js'
import { chooseSmallFiles } from '../../src/cluster/lake/mergeSmallFiles.js'
import { Logger } from '../../src/Logger.js'
import { addressesOf } from '../../src/options/values.js'
import * as deletion from '../../src/privacy/deleteDay.js'
import { createMutex } from '../../src/duckdb/transactions.js'
import { parquetIn } from '../archive/oldStore.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { firstDay } from './fillLog.js'
import { rowsOf, useLake, whenArchived } from './useLake.js'
import { eventually } from '../fixtures/eventually.js'

const stage = useLake()
const ada = 'u_ada_9f3e'
const stored = (service: Parameters<typeof rowsOf>[0]) =>
  Promise.all(
    [
      'FROM events ORDER BY event_id',
      'FROM persons ORDER BY person_id',
      'FROM all_sessions ORDER BY session_id',
    ].map((statement) => rowsOf(service, statement)),
  )

const listed = async () => {
  const [row] = await stage.database.query<{ files: number; events: number }>(
    `SELECT count(*)::int AS files, coalesce(sum(record_count), 0)::int AS events
     FROM waymark.ducklake_data_file WHERE end_snapshot IS NULL`,
  )
  return row
}

it('a store that was away while files were added, merged and cleaned of a person comes to the same answers', async () => {
  const [one, two] = [await stage.start('one'), await stage.start('two')]
  const timestamp = firstDay
  await stage.filler.put(timestamp, [event('Seen', { distinct_id: ada, timestamp })])
  await one.ingest('/track?sync=true', event('Now', { distinct_id: 'u_0' }))
  await whenArchived(one, two)
  await two.stop()
  await stage.database.query(
    `UPDATE waymark.readers SET seen = now() - interval '1 minute' WHERE place LIKE '%two'`,
  )
  // Each file of the second day has the person, and so has the one that they become.
  for (let batch = 1; batch <= 4; batch++) {
    const at = firstDay + 86_400_000
    await stage.filler.put(
      at,
      Array.from({ length: 4 }, (_, n) =>
        event('Seen', {
          distinct_id: n === 0 ? ada : `u_${n}`,
          session_id: `s-${batch}-${n}`,
          timestamp: at,
        }),
      ),
    )
    await eventually(async () => expect((await listed())?.events).toBe(1 + 4 * batch))
  }
  await eventually(async () => expect(await listed()).toEqual({ files: 2, events: 17 }))
  const person = { environment: 'production', id: ada }
  expect(await one.ask('/persons/erase', person)).toMatchObject({ status: 202, body: { awaited: [{}] } })
  expect(findInFiles(stage.archive, ada)).toEqual([])
  await two.restart()
  await eventually(async () => {
    const answers = await stored(two)
    expect(answers.at(0)).toHaveLength(13)
    expect(answers).toEqual(await stored(one))
    expect(findInFiles(stage.root, ada)).toEqual([])
  })
})

/** Retention takes one file off the list of a store that is started from now on, and fails at the next one. */
const failAtSecondFile = () => {
  const { deleteFile } = deletion
  let deleted = 0
  const spy = vi.spyOn(deletion, 'deleteFile').mockImplementation(async (...given) => {
    if (deleted++ > 0) throw new Error('retention is cut off')
    return await deleteFile(...given)
  })
  onTestFinished(() => spy.mockRestore())
  return { hasFailed: () => deleted > 1, stop: () => spy.mockRestore() }
}

it('a day that retention has begun to take off the list of another store is not merged, so that no event of it comes back', async () => {
  const dayMs = 86_400_000
  const perFile = 5
  const fileCounts = async () => {
    const rows = await stage.database.query<{ files: number }>(
      `SELECT count(*)::int AS files FROM waymark.ducklake_data_file WHERE end_snapshot IS NULL
       GROUP BY split_part(path, '/', 2) ORDER BY split_part(path, '/', 2)`,
    )
    return rows.map(({ files }) => files)
  }
  const byDay = (store: Parameters<typeof rowsOf>[0]) =>
    rowsOf(
      store,
      `SELECT count(*), count(DISTINCT event_id) FROM events WHERE event <> 'Now'
       GROUP BY received_at::DATE ORDER BY received_at::DATE`,
    )
  const twice = (...counts: number[]) => counts.map((each) => [each, each])
  /** Each batch becomes a file of each day. */
  const addBatch = async (days: number[], ...stores: Parameters<typeof whenArchived>) => {
    for (const day of days) await stage.filler.numbered(day, perFile)
    const wanted = stage.filler.sent
    await eventually(async () => expect((await listed())?.events).toBe(wanted))
    await whenArchived(...stores)
  }
  const one = await stage.start('one')
  // Rows behind one of today would stay as long as it does; behind one of tomorrow they do not.
  await stage.filler.put(Date.now() + dayMs, [event('Now', { distinct_id: 'u_0' })])
  const two = await stage.start('two')
  for (let batch = 0; batch < 3; batch++) await addBatch([0, 1], one, two)
  await two.stop()
  await one.stop()

  // The first day is the last one that the archiving store keeps, and the first one that the other one does not.
  const kept = Math.floor(Date.now() / dayMs) - firstDay / dayMs
  const keeping = (production: number) => ({
    retentionDays: { production },
    clockChecked: new Date().toISOString().slice(0, 10),
  })
  const first = await stage.start('one', keeping(kept))
  const cut = failAtSecondFile()
  const second = await stage.start('two', keeping(kept - 1))
  await eventually(() => expect(cut.hasFailed()).toBe(true))
  await addBatch([0, 1], first, second)
  for (let batch = 0; batch < 4; batch++) await addBatch([2, 3], first, second)
  // The oldest days come first, so they would be merged by now.
  await eventually(async () => expect((await fileCounts()).slice(2)).toEqual([1, 1]))
  const all = 4 * perFile
  await eventually(async () => {
    expect(await byDay(first)).toEqual(twice(all, all, all, all))
    expect(await byDay(second)).toEqual(twice(all - perFile, all, all, all))
  })
  expect(await fileCounts()).toEqual([4, 4, 1, 1])

  // A day later for both.
  cut.stop()
  await second.restart()
  await eventually(async () => expect(await byDay(second)).toEqual(twice(all, all, all)))
  await first.stop()
  const later = await stage.start('one', keeping(kept - 1))
  await eventually(async () => {
    expect(await fileCounts()).toEqual([4, 1, 1])
    expect(await byDay(later)).toEqual(twice(all, all, all))
    expect(await stored(later)).toEqual(await stored(second))
  })
})

it('small files that cannot be read do not keep those of other parts from being merged', async () => {
  const one = await stage.start('one')
  await one.ingest('/track?sync=true', event('Now', { distinct_id: 'u_0' }))
  const addBatch = async () => {
    for (const day of [0, 1]) await stage.filler.numbered(day, 5)
    const wanted = stage.filler.sent
    await eventually(async () => expect((await listed())?.events).toBe(wanted))
  }
  for (let batch = 0; batch < 3; batch++) await addBatch()
  const files = parquetIn(stage.archive)
  expect(files).toHaveLength(6)
  for (const file of files) {
    if (file.includes('day=2026-01-05')) writeFileSync(join(stage.archive, file), 'not a table')
  }
  await addBatch()
  await eventually(async () => expect(await listed()).toEqual({ files: 5, events: 40 }))
})

it('what writes files and makes a snapshot waits for what does so already', async () => {
  const database = {} as ConstructorParameters<typeof Lake>[0]['database']
  const lake = new Lake({
    deleteFile: deletion.deleteFile,
    ...{
      database,
      archive: { path: stage.archive, temp: stage.root, isShared: true, damaged: new Set<string>() },
      log: '',
      reader: 'one',
    },
    ...{ addresses: addressesOf(stage.database.url), applied: () => 0, oneAtATime: createMutex() },
    logger: new Logger('silent'),
  })
  const done: string[] = []
  let goOn = () => {}
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve))
  const first = lake.write(async () => {
    await mayGoOn
    done.push('merge')
  })
  const second = lake.write(async () => {
    done.push('erase')
  })
  await setImmediate()
  expect([done, lake.isWriting]).toEqual([[], true])
  goOn()
  await Promise.all([first, second])
  expect([done, lake.isWriting]).toEqual([['merge', 'erase'], false])
})

it('four files of a part and of about one size are merged, and no large one or one of another part', () => {
  const fileOf = (events: number, at: number, day = '2026-01-05') => ({
    ...{ environment: 'production', day, events },
    file: `environment=production/day=${day}/late=false/events-${at}-${at + events - 1}-0123456789abcdef.parquet`,
  })
  const small = [40, 30, 20, 10].map((at) => fileOf(5, at))
  expect(chooseSmallFiles(small.slice(1))).toBe(undefined)
  expect(chooseSmallFiles([...small.slice(1), fileOf(5, 50, '2026-01-06')])).toBe(undefined)
  expect(chooseSmallFiles([...small.slice(1), fileOf(5000, 50)])).toBe(undefined)
  expect(chooseSmallFiles(small.map(({ day }, n) => fileOf(125_000, 200_000 * n, day)))).toBe(undefined)
  expect(chooseSmallFiles([fileOf(5000, 50), ...small])).toEqual(small.toReversed())
})

import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { Lake } from '../../src/lake/Lake.js'
import { chooseSmallFiles } from '../../src/lake/mergeSmallFiles.js'
import { Logger } from '../../src/Logger.js'
import { addressesOf } from '../../src/postgresLog/readLogUrl.js'
import { createMutex } from '../../src/store/createMutex.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { firstDay } from './fillLog.js'
import { patience, rowsOf, useLake, whenArchived } from './useLake.js'

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
    await vi.waitFor(async () => expect((await listed())?.events).toBe(1 + 4 * batch), patience)
  }
  await vi.waitFor(async () => expect(await listed()).toEqual({ files: 2, events: 17 }), patience)
  const person = { environment: 'production', id: ada }
  expect(await one.ask('/persons/erase', person)).toMatchObject({ status: 202, body: { awaited: [{}] } })
  expect(findInFiles(stage.archive, ada)).toEqual([])
  await two.restart()
  await vi.waitFor(async () => {
    const answers = await stored(two)
    expect(answers.at(0)).toHaveLength(13)
    expect(answers).toEqual(await stored(one))
    expect(findInFiles(stage.root, ada)).toEqual([])
  }, patience)
}, 180_000)

it('what writes files and makes a snapshot waits for what does so already', async () => {
  const database = {} as ConstructorParameters<typeof Lake>[0]['database']
  const lake = new Lake({
    ...{
      database,
      archive: { path: stage.archive, temp: stage.root, isShared: true },
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

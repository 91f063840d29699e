import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it, vi } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { runWaymark } from '../fixtures/runWaymark.js'

const memory = 'Storing it takes more memory than DuckDB may have (--memory-limit, 512 MiB).'

/** Sets rows aside as an earlier build did wrongly, in a store that is not running. */
const setAside = async (
  folder: string,
  rows: [seq: number, body: unknown, reason: string, task: string | null][],
) => {
  const instance = await DuckDBInstance.create(join(folder, 'analytics.duckdb'))
  const connection = await instance.connect()
  for (const [seq, body, reason, task] of rows) {
    await connection.run(
      `INSERT INTO raw.rejected (seq, received_at, kind, body, reason, task_id, position)
       VALUES ($seq, TIMESTAMP '2026-01-02 03:04:05.678', 'track', $body, $reason, $task, 0)`,
      { seq, body: JSON.stringify(body), reason, task },
    )
  }
  connection.closeSync()
  instance.closeSync()
}

it('lists why rows were set aside, and has those of a reason stored as if they had just been accepted', async () => {
  const first = await createService()
  await first.ingest('/track?sync=true', event('before'))
  await first.stop()
  await setAside(first.folder, [
    [1001, event('innocent', { properties: { n: 1 } }), memory, 'a'],
    [1002, event('innocent', { properties: { n: 2 } }), memory, 'b'],
    [1003, event('guilty'), 'Conversion Error: no', 'c'],
    [1004, event('unsigned'), 'The id of the user is not signed (--identity-secret).', null],
  ])
  const data = ['--data', first.folder]

  expect(await runWaymark('retry-rejected', ...data)).toMatchObject({
    code: 0,
    lines: [`analytics: 2 rows: ${memory}`, 'analytics: 1 rows: Conversion Error: no'],
  })
  const retried = await runWaymark('retry-rejected', ...data, '--reason', 'more memory')
  expect(retried.lines).toContain('analytics: 2 rows will be stored at the next start.')
  const unsigned = await runWaymark('retry-rejected', ...data, '--reason', 'not signed')
  expect(unsigned.lines).toContain('analytics: 0 rows will be stored at the next start.')

  const second = await createService({ dataFolder: first.folder })
  try {
    await second.ingest('/track?sync=true', event('after'))
    const { rows } = await second.query(
      `SELECT event, properties->>'n', count(*) FROM events GROUP BY ALL ORDER BY ALL`,
    )
    expect(rows).toEqual([
      ['after', null, 1],
      ['before', null, 1],
      ['innocent', '1', 1],
      ['innocent', '2', 1],
    ])
    await vi.waitFor(async () =>
      expect((await second.query('SELECT reason FROM analytics.rejected ORDER BY ALL')).rows).toEqual([
        ['Conversion Error: no'],
        ['The id of the user is not signed (--identity-secret).'],
      ]),
    )
  } finally {
    await second.close()
  }
})

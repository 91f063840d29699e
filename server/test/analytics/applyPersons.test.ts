import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyAnalytics } from '../../src/analytics/applyAnalytics.js'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import { inTransaction } from '../../src/duckdb/transactions.js'
import type { LogEntry } from '../../src/wal/segment.js'
import { rounds } from '../fixtures/share.js'

/** What a person is, from the raw rows alone: the view that the table of persons took the place of. */
const fromRawRows = `
WITH seen AS (
  SELECT environment, coalesce(distinct_id, anonymous_id) AS id, min("timestamp") AS first_seen,
    max("timestamp") AS last_seen, count(*) AS events
  FROM analytics.raw.events WHERE coalesce(distinct_id, anonymous_id) IS NOT NULL GROUP BY ALL
  UNION ALL SELECT environment, distinct_id, NULL, NULL, 0 FROM analytics.raw.id_map
  UNION ALL
  SELECT environment, distinct_id, min("timestamp"), max("timestamp"), 0
  FROM analytics.raw.traits GROUP BY ALL
), person AS (
  SELECT s.environment, coalesce(m.person_id, s.id) AS person_id, list_sort(list(DISTINCT s.id)) AS distinct_ids,
    min(s.first_seen) AS first_seen, max(s.last_seen) AS last_seen, sum(s.events)::BIGINT AS events
  FROM seen s
  LEFT JOIN analytics.raw.id_map m ON m.environment = s.environment AND m.distinct_id = s.id
  GROUP BY ALL
), trait AS (
  SELECT t.environment, coalesce(m.person_id, t.distinct_id) AS person_id, t.name,
    arg_max(t.value, (t."timestamp", t.seq)) AS value
  FROM analytics.raw.traits t
  LEFT JOIN analytics.raw.id_map m ON m.environment = t.environment AND m.distinct_id = t.distinct_id
  WHERE t.name IS NOT NULL
  GROUP BY ALL
), bundle AS (
  SELECT environment, person_id, json_group_object(name, value) AS traits FROM trait GROUP BY ALL
)
SELECT p.environment, p.person_id, p.distinct_ids, coalesce(b.traits, '{}')::JSON AS traits,
  p.first_seen, p.last_seen, p.events
FROM person p
LEFT JOIN bundle b ON b.environment = p.environment AND b.person_id = p.person_id`

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
const environment = fc.constantFrom('production', 'production', 'production', 'staging')
const timestamp = fc.integer({ min: 1, max: 6 }).map((n) => n * 1000)
const traits = fc.dictionary(
  fc.constantFrom('plan', 'name', 'a.b "c" $d'),
  fc.constantFrom(1, 'x', null, [1, { y: 2 }]),
)

const step = fc.oneof(
  fc.record({
    kind: fc.constant('track'),
    payload: fc.record(
      {
        environment,
        event: fc.constant('seen'),
        distinct_id: id,
        anonymous_id: id,
        timestamp,
        properties: fc.constant({}),
      },
      { requiredKeys: ['environment', 'event', 'timestamp', 'properties'] },
    ),
  }),
  fc.record({
    kind: fc.constant('identify'),
    payload: fc.record(
      { environment, distinct_id: id, anonymous_id: id, traits, timestamp },
      { requiredKeys: ['environment', 'distinct_id', 'timestamp'] },
    ),
  }),
  fc.record({
    kind: fc.constant('alias'),
    payload: fc.record({ environment, distinct_id: id, new_user_id: id }),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const entriesOf = (steps: readonly Step[]): LogEntry[] =>
  steps.map(({ kind, payload }, at) => ({
    kind,
    first: at + 1,
    count: 1,
    receivedAtMs: 0,
    body: Buffer.from(JSON.stringify([payload])),
  }))

const open = async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("ATTACH ':memory:' AS analytics")
  await openAnalytics(connection)
  const folder = mkdtempSync(join(tmpdir(), 'waymark-persons-'))
  const window = new InsertIdWindow({ folder, windowMs: 1000 })
  window.open(0, 0n)
  return {
    connection,
    apply: applyAnalytics({ window }),
    close() {
      instance.closeSync()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const persons = async (connection: DuckDBConnection, source: string) => {
  const reader = await connection.runAndReadAll(`FROM (${source}) ORDER BY environment, person_id`)
  return reader
    .getRowObjectsJson()
    .map((row) => ({ ...row, traits: JSON.parse(row['traits'] as string) as unknown }))
}

it('says of random histories, however cut into runs, what the raw rows say', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }),
      async (steps, cuts) => {
        const { connection, apply, close } = await open()
        const entries = entriesOf(steps)
        for (let at = 0, run = 0; at < entries.length; run++) {
          const length = cuts.at(run % cuts.length)!
          await inTransaction(connection, () => apply(connection, entries.slice(at, at + length)))
          at += length
          const kept = await persons(connection, 'FROM analytics.main.persons')
          expect(kept).toEqual(await persons(connection, fromRawRows))
        }
        close()
      },
    ),
    { numRuns: rounds(15) },
  )
})

it('makes the persons anew when DuckDB hashes differently', async () => {
  const { connection, apply, close } = await open()
  const steps = fc.sample(step, { numRuns: 12, seed: 7 })
  await inTransaction(connection, () => apply(connection, entriesOf(steps)))
  const expected = await persons(connection, 'FROM analytics.main.persons')
  await connection.run('UPDATE analytics.raw.derived SET hash = hash + 1')
  await connection.run('UPDATE analytics.raw.persons SET person_key = 1, events = 0')
  await connection.run('UPDATE analytics.raw.id_map SET id_key = 1, person_key = 1')
  await openAnalytics(connection)
  expect(expected.length).toBeGreaterThan(1)
  expect(await persons(connection, 'FROM analytics.main.persons')).toEqual(expected)
  close()
})

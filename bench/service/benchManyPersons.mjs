import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openAnalytics } from '../../server/dist/analytics/openAnalytics.js'

const million = 1_000_000

/** Four events an id. Half of the ids are users, the other half anonymous ids that belong to them. */
const fill = async (connection, events) => {
  const users = events / 8
  await connection.run(`INSERT INTO analytics.raw.events (seq, received_at, "timestamp", environment, event, distinct_id,
      anonymous_id, device_id, session_id, insert_id, properties)
    SELECT i + 1, epoch_ms(1700000000000 + i), epoch_ms(1700000000000 + i), 'production', 'seen',
      CASE WHEN i % ${2 * users} >= ${users} THEN 'user-' || hash(i % ${users}) END,
      'anonymous-' || hash(i % ${users}), NULL, NULL, 'id-' || i, '{"n":1}' FROM range(${events}) r(i)`)
  await connection.run(`INSERT INTO analytics.raw.id_map
    SELECT 'production', 'user-' || hash(i), 'user-' || hash(i), true, NULL, NULL FROM range(${users}) r(i)
    UNION ALL SELECT 'production', 'anonymous-' || hash(i), 'user-' || hash(i), false, NULL, NULL
    FROM range(${users}) r(i)`)
  await connection.run(`INSERT INTO analytics.raw.traits
    SELECT i, epoch_ms(1700000000000 + i), 'production', 'user-' || hash(i), 'plan', '"pro"'
    FROM range(${users}) r(i)`)
  await connection.run('CHECKPOINT analytics')
  return users
}

const timed = async (connection, statementOf) => {
  const took = []
  for (let round = 0; round < 9; round++) {
    const statement = statementOf(round)
    const began = performance.now()
    await connection.runAndReadAll(statement)
    took.push(performance.now() - began)
  }
  return took.toSorted((a, b) => a - b)[4]
}

/** Persons of a large store: one, ten, all of them counted, and what the upgrade to the table costs. */
export const benchManyPersons = async (events = Number(process.env.BENCH_EVENTS ?? 20 * million)) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-persons-'))
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '4GiB',
    temp_directory: join(folder, 'temp'),
    wal_autocheckpoint: '64MB',
  })
  const connection = await instance.connect()
  await connection.run(`ATTACH '${join(folder, 'analytics.duckdb')}' AS analytics (STORAGE_VERSION 'v1.5.0')`)
  await openAnalytics(connection)
  const persons = await fill(connection, events)
  await connection.run('DELETE FROM analytics.raw.derived')
  const began = performance.now()
  await openAnalytics(connection)
  await connection.run('CHECKPOINT analytics')
  const upgradeS = (performance.now() - began) / 1000
  const from = 'FROM analytics.main.persons'
  const one = await timed(
    connection,
    (round) => `SELECT * ${from} WHERE person_id = 'user-' || hash(${round * 997})`,
  )
  const count = await timed(connection, () => `SELECT count(*) ${from}`)
  const ten = await timed(connection, () => `SELECT * ${from} LIMIT 10`)
  const [[found]] = (await connection.runAndReadAll(`SELECT count(*)::INT ${from}`)).getRows()
  instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
  const size = `${events / million} M events, ${persons / million} M persons of ${(2 * persons) / million} M ids`
  const line = (what, ms, most) => [
    `persons: ${what} (${size})`,
    `≤ ${most} ms`,
    `${ms.toFixed(0)} ms, median of 9`,
    ms <= most && found === persons,
  ]
  return [
    line('WHERE person_id = …', one, 50),
    line('count(*)', count, 1000),
    line('LIMIT 10', ten, 100),
    ['persons: the upgrade of such a store', 'no target', `${upgradeS.toFixed(0)} s`, true],
  ]
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'

/** The tables as the first version made them, and rows as it wrote them. */
const firstVersion = `
CREATE SCHEMA analytics.raw;
CREATE TABLE analytics.raw.position (applied BIGINT NOT NULL);
CREATE TABLE analytics.raw.events (
  seq BIGINT, received_at TIMESTAMP, "timestamp" TIMESTAMP, environment VARCHAR, event VARCHAR,
  distinct_id VARCHAR, anonymous_id VARCHAR, device_id VARCHAR, session_id VARCHAR,
  insert_id VARCHAR, properties JSON, insert_hash UBIGINT
);
CREATE TABLE analytics.raw.id_map (
  environment VARCHAR, distinct_id VARCHAR USING COMPRESSION uncompressed,
  person_id VARCHAR USING COMPRESSION uncompressed, identified BOOLEAN
);
CREATE TABLE analytics.raw.traits (
  seq BIGINT, "timestamp" TIMESTAMP, environment VARCHAR, distinct_id VARCHAR, name VARCHAR, value JSON
);
CREATE TABLE analytics.raw.rejected (
  seq BIGINT, received_at TIMESTAMP, kind VARCHAR, body VARCHAR, reason VARCHAR
);
CREATE VIEW analytics.main.events AS SELECT seq AS event_id, properties FROM analytics.raw.events;
INSERT INTO analytics.raw.position VALUES (4);
INSERT INTO analytics.raw.events VALUES
  (1, '2026-01-02 03:04:05.678', '2026-01-02 03:04:00', 'production', 'seen', NULL, 'anonymous', 'd', 's', 'i',
   '{"insert_id":"i","$url":"https://a.example/b?c=1","n":12345678901234567890}', 7),
  (2, '2026-01-03 00:00:00', '2026-01-03 00:00:00', 'production', 'seen', 'user', NULL, NULL, NULL, NULL, '{}', NULL);
INSERT INTO analytics.raw.id_map VALUES
  ('production', 'user', 'user', true), ('production', 'anonymous', 'user', false);
INSERT INTO analytics.raw.traits VALUES (3, '2026-01-04 00:00:00', 'production', 'user', 'plan', '"pro"');
INSERT INTO analytics.raw.rejected VALUES (4, '2026-01-04 00:00:00', 'track', '[]', 'why');
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-upgrade-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Ends like a kill: what was committed is in DuckDB's own log, and the next one reads it from there. */
const withStore = async (work: (connection: DuckDBConnection) => Promise<void>) => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run(`ATTACH '${join(folder, 'analytics.duckdb')}' AS analytics`)
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  await work(connection)
  connection.closeSync()
  instance.closeSync()
}

const rowsOf = async (connection: DuckDBConnection, sql: string) =>
  (await connection.runAndReadAll(sql)).getRowsJson()

it('upgrades a store of the first version once, and keeps what it held', async () => {
  await withStore(async (connection) => {
    await connection.run(firstVersion)
    await connection.run('CHECKPOINT analytics')
    await openAnalytics(connection)
  })
  let tables: unknown
  await withStore(async (connection) => {
    const stored = 'SELECT table_name, table_oid FROM duckdb_tables() ORDER BY 1'
    tables = await rowsOf(connection, stored)
    await openAnalytics(connection)
    expect(await rowsOf(connection, stored)).toEqual(tables)
    expect(
      await rowsOf(
        connection,
        `SELECT event_id, received_at, "timestamp", person_id, insert_id, url, path, lib, properties
         FROM analytics.main.events ORDER BY event_id`,
      ),
    ).toEqual([
      [
        '1',
        '2026-01-02 03:04:05.678+00',
        '2026-01-02 03:04:00+00',
        'user',
        'i',
        'https://a.example/b?c=1',
        '/b',
        null,
        '{"insert_id":"i","$url":"https://a.example/b?c=1","n":12345678901234567890}',
      ],
      ['2', '2026-01-03 00:00:00+00', '2026-01-03 00:00:00+00', 'user', null, null, null, null, '{}'],
    ])
    expect(await rowsOf(connection, 'FROM analytics.main.persons')).toEqual([
      [
        'production',
        'user',
        ['anonymous', 'user'],
        '{"plan":"pro"}',
        '2026-01-02 03:04:00+00',
        '2026-01-04 00:00:00+00',
        '2',
      ],
    ])
    expect(await rowsOf(connection, 'SELECT applied FROM analytics.raw.position')).toEqual([['4']])
    expect(await rowsOf(connection, 'SELECT reason FROM analytics.raw.rejected')).toEqual([['why']])
  })
})

it('leaves a store as it was when the upgrade fails', async () => {
  await withStore(async (connection) => {
    await connection.run(firstVersion)
    await connection.run('CREATE TABLE analytics.raw.old_traits (a INTEGER)')
    await expect(openAnalytics(connection)).rejects.toThrow('old_traits')
    expect(
      await rowsOf(connection, 'SELECT count(*), any_value(typeof(received_at)) FROM analytics.raw.events'),
    ).toEqual([['2', 'TIMESTAMP']])
    await connection.run('DROP TABLE analytics.raw.old_traits')
    await openAnalytics(connection)
    expect(await rowsOf(connection, 'SELECT count(*) FROM analytics.main.events')).toEqual([['2']])
  })
})

it('refuses a store of a later version in words that say what to do', async () => {
  await withStore(async (connection) => {
    await openAnalytics(connection)
    await connection.run('UPDATE analytics.raw.store SET version = 99')
    await expect(openAnalytics(connection)).rejects.toThrow(/later version .*99.*start that version/)
  })
})

import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bringToVersion } from '../../src/analytics/openAnalytics.js'
import { storeVersion } from '../../src/schema/analyticsSchema.js'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run("ATTACH ':memory:' AS analytics")
})
afterEach(() => {
  connection.closeSync()
  instance.closeSync()
})

const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
const version = async () => (await rowsOf('SELECT version FROM analytics.raw.store'))[0]?.[0]
const other = (found: number) =>
  `The store is of version ${found}, and this waymark-server reads version ${storeVersion}: start the waymark-server that wrote it, or name another folder by --data.`

it('makes the tables of a new store, and leaves a store of this version alone', async () => {
  await bringToVersion(connection)
  await connection.run('INSERT INTO analytics.raw.position VALUES (7)')
  await bringToVersion(connection)
  expect(await rowsOf('FROM analytics.raw.position')).toEqual([['7']])
  expect(await version()).toBe(storeVersion)
})

it.each([storeVersion - 1, storeVersion + 1])('refuses a store of version %i', async (found) => {
  await bringToVersion(connection)
  await connection.run(`UPDATE analytics.raw.store SET version = ${found}`)
  await expect(bringToVersion(connection)).rejects.toThrow(other(found))
  expect(await version()).toBe(found)
})

it('refuses a store that says no version', async () => {
  await connection.run('CREATE SCHEMA analytics.raw')
  await connection.run('CREATE TABLE analytics.raw.events (seq BIGINT)')
  await expect(bringToVersion(connection)).rejects.toThrow(other(0))
})

/** This is how a later release adds its upgrade: a line in `released`, from the version before it. */
const upgrades = {
  [storeVersion]: ['ALTER TABLE analytics.raw.events ADD COLUMN planet VARCHAR'],
  [storeVersion + 1]: ["UPDATE analytics.raw.events SET planet = 'Atlantis'"],
}

it('upgrades an older store step by step', async () => {
  await bringToVersion(connection)
  await connection.run("INSERT INTO analytics.raw.events (seq, event) VALUES (1, 'seen')")
  await bringToVersion(connection, storeVersion + 2, upgrades)
  expect(await version()).toBe(storeVersion + 2)
  expect(await rowsOf('SELECT event, planet FROM analytics.raw.events')).toEqual([['seen', 'Atlantis']])
})

it('leaves a store as it was when a step of its upgrade fails', async () => {
  await bringToVersion(connection)
  const broken = { ...upgrades, [storeVersion + 1]: ['SELECT nothing'] }
  await expect(bringToVersion(connection, storeVersion + 2, broken)).rejects.toThrow('nothing')
  expect(await version()).toBe(storeVersion)
  expect(
    await rowsOf("SELECT 1 FROM duckdb_columns() WHERE table_name = 'events' AND column_name = 'planet'"),
  ).toEqual([])
})

import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dataChanges, definitionChanges } from '../../src/duckdb/transactions.js'
import { Catalog } from '../../src/postgres/catalog/Catalog.js'

it('what fails to be filled for one statement is filled anew for the next', async () => {
  let fails = false
  const events = new EventEmitter()
  const connection = {
    async run(sql: string) {
      if (!fails || !sql.startsWith('CREATE OR REPLACE TABLE')) return
      fails = false
      events.emit('begun')
      await once(events, 'failed')
      throw new Error('The memory is full.')
    },
    runAndReadAll: (sql: string) =>
      Promise.resolve({ getRows: () => (sql.includes('count(*)') ? [[0n]] : []) }),
    closeSync: () => undefined,
  }
  const catalog = new Catalog(() => Promise.resolve(connection as unknown as DuckDBConnection))
  await catalog.prepare('lakehouse', new Set())
  fails = true
  await definitionChanges.during(() => Promise.resolve())
  const begun = once(events, 'begun')
  const first = catalog.prepare('lakehouse', new Set(['pg_class']))
  await begun
  const second = catalog.prepare('lakehouse', new Set(['pg_class']))
  events.emit('failed')
  await expect(first).rejects.toThrow('The memory is full.')
  await second
  await catalog.close()
})

let instance: DuckDBInstance
let connection: DuckDBConnection
let folder: string
beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:')
  folder = mkdtempSync(join(tmpdir(), 'waymark-fill-'))
  connection = await instance.connect()
  await connection.run(`ATTACH '${folder}/lakehouse.duckdb' AS lakehouse; USE lakehouse`)
  await connection.run('CREATE TABLE orders (id INTEGER)')
})
afterEach(() => {
  instance.closeSync()
  rmSync(folder, { recursive: true })
})

it.each(['lakehouse', 'analytics'])(
  'what was filled of %s before a change is filled together after it',
  async (database) => {
    const catalog = new Catalog(() => Promise.resolve(connection))
    await catalog.prepare(database, new Set(['pg_class', 'pg_attribute']))
    await dataChanges.during(() => connection.run('CREATE TABLE fresh (id INTEGER)'))
    // Another statement is about to read both.
    await catalog.prepare('lakehouse', new Set(['pg_index']))
    await catalog.prepare(database, new Set(['pg_class']))
    const own = `waymark_pg.pg_${database}`
    const found = await connection.runAndReadAll(
      `SELECT (SELECT count(*) FROM ${own}.pg_class WHERE relname = 'fresh'), (SELECT count(*) FROM ${own}.pg_attribute JOIN ${own}.pg_class c ON c.oid = attrelid WHERE c.relname = 'fresh')`,
    )
    expect(found.getRows()).toEqual([[1n, 1n]])
    await catalog.close()
  },
)

it('is filled anew when the schema has changed, not when rows have', async () => {
  const filled: string[] = []
  const run = connection.run.bind(connection)
  connection.run = (sql: string) => {
    const found = sql.matchAll(/CREATE OR REPLACE TABLE \S+\.(\w+)/g)
    filled.push(...[...found].map(([, name = '']) => name))
    return run(sql)
  }
  const catalog = new Catalog(() => Promise.resolve(connection))
  const filledBy = async (change: string, ...names: string[]) => {
    await dataChanges.during(() => run(change))
    filled.length = 0
    await catalog.prepare('lakehouse', new Set(names))
    return filled.filter((name) => name.startsWith('pg_'))
  }
  expect(await filledBy('SELECT 1', 'pg_class')).toEqual(['pg_class'])
  expect(await filledBy('INSERT INTO orders VALUES (1)', 'pg_class')).toEqual([])
  // The table has twice as many rows, which `reltuples` says.
  expect(await filledBy('INSERT INTO orders VALUES (2)', 'pg_class')).toEqual(['pg_class'])
  expect(await filledBy('INSERT INTO orders VALUES (3)', 'pg_class')).toEqual([])
  expect(await filledBy('SELECT 1', 'pg_class', 'pg_index')).toEqual(['pg_index'])
  for (const change of [
    'ALTER TABLE orders ADD COLUMN note VARCHAR',
    `ALTER TABLE orders ALTER note SET DEFAULT 'none'`,
    `COMMENT ON COLUMN orders.note IS 'What was said'`,
    'CREATE VIEW cheap AS SELECT 1 AS id',
    'CREATE SCHEMA shop',
  ])
    expect([change, await filledBy(change, 'pg_class')]).toEqual([change, ['pg_class', 'pg_index']])
  await catalog.close()
})

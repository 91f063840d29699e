import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
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

it('is filled anew when the schema has changed, not when rows have', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const folder = mkdtempSync(join(tmpdir(), 'waymark-fill-'))
  const connection = await instance.connect()
  await connection.run(`ATTACH '${folder}/lakehouse.duckdb' AS lakehouse; USE lakehouse`)
  await connection.run('CREATE TABLE orders (id INTEGER)')
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
    expect([change, await filledBy(change, 'pg_class')]).toEqual([change, ['pg_class']])
  await catalog.close()
  instance.closeSync()
  rmSync(folder, { recursive: true })
})

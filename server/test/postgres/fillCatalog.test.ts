import { EventEmitter, once } from 'node:events'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { definitionChanges } from '../../src/duckdb/transactions.js'
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
  await catalog.prepare(false)
  fails = true
  await definitionChanges.during(() => Promise.resolve())
  const begun = once(events, 'begun')
  const first = catalog.prepare(true)
  await begun
  const second = catalog.prepare(true)
  events.emit('failed')
  await expect(first).rejects.toThrow('The memory is full.')
  await second
  await catalog.close()
})

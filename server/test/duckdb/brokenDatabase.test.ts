import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it, vi } from 'vitest'
import { isTransient } from '../../src/duckdb/transactions.js'
import { watchDatabase } from '../../src/duckdb/Database.js'
import { eventually } from '../fixtures/eventually.js'

it('tells of a DuckDB that does no work any more, and of no other error', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const onLost = vi.fn()
  const database = { connect: () => instance.connect() }
  await connection.run('CREATE TABLE held (a INT)')
  const watch = await watchDatabase(database, ['held'], onLost)
  await expect(connection.run('SELECT nothing')).rejects.toThrow()
  expect(onLost).not.toHaveBeenCalled()
  // DuckDB 1.5.6 looks for the first item of an empty list. The guard refuses it for that.
  await expect(connection.run('SELECT reservoir_quantile(1.5, [])')).rejects.toThrow('INTERNAL')
  const error = await connection.run('SELECT 1').catch((each: unknown) => each)
  expect(isTransient(error)).toBe(true)
  await eventually(() => expect(onLost).toHaveBeenCalledOnce())
  await watch.stop()
})

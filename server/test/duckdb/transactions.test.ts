import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '../../src/duckdb/transactions.js'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
})
afterEach(() => {
  connection.closeSync()
  instance.closeSync()
})

it('stores on after a ROLLBACK for which there was no memory', async () => {
  await connection.run('CREATE TABLE t (n INTEGER)')
  const run = connection.run.bind(connection)
  connection.run = (sql, ...more) =>
    sql === 'ROLLBACK' ? Promise.reject(new Error('Out of Memory Error: bad allocation')) : run(sql, ...more)
  const wrong = inTransaction(connection, async () => {
    await connection.run('INSERT INTO t VALUES (1)')
    await connection.run(`SELECT 'a'::INTEGER`)
  })
  await expect(wrong).rejects.toThrow('Conversion Error')
  connection.run = run
  await inTransaction(connection, () => connection.run('INSERT INTO t VALUES (2)'))
  expect((await connection.runAndReadAll('FROM t')).getRows()).toEqual([[2]])
})

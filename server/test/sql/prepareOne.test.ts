import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareOne } from '../../src/sql/prepareOne.js'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run('CREATE TABLE kept AS SELECT 1 AS n')
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const tables = async () =>
  (await connection.runAndReadAll('SELECT table_name FROM duckdb_tables()')).getRows().flat()

it('makes the types of a PIVOT', async () => {
  const prepared = await prepareOne(connection, 'PIVOT kept ON n USING count(*)')
  expect((await prepared.runAndReadAll()).columnNames()).toEqual(['1'])
})

it('makes nothing else on the way to the last statement', async () => {
  const refused = 'read-only'
  await expect(prepareOne(connection, 'CREATE TABLE other AS SELECT 1; SELECT 2')).rejects.toThrow(refused)
  await expect(prepareOne(connection, 'CREATE OR REPLACE VIEW kept AS SELECT 1; SELECT 2')).rejects.toThrow()
  expect(await tables()).toEqual(['kept'])
  expect((await connection.runAndReadAll('SELECT n FROM kept')).getRows()).toEqual([[1]])
})

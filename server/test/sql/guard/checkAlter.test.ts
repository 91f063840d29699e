import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createService, type Service } from '../../fixtures/createService.js'

const session_id = 'altering'
let service: Service
beforeAll(async () => {
  service = await createService()
  for (const statement of [
    `CREATE TYPE mood AS ENUM('1')`,
    'CREATE MACRO m(x) AS x',
    `CREATE TEMP TYPE passing AS ENUM('1')`,
    'CREATE TEMP MACRO tm(x) AS x',
  ]) {
    expect(await service.query(statement, { session_id })).toMatchObject({ status: 200 })
  }
})
beforeEach(async () => {
  const made = await service.query('CREATE OR REPLACE TABLE t (a VARCHAR, mood mood)', { session_id })
  expect(made).toMatchObject({ status: 200 })
})
afterAll(() => service.close())

describe('ALTER TABLE', () => {
  it.each([
    ['ALTER TABLE t ALTER a TYPE mood', 'lakehouse.main.mood'],
    ['ALTER TABLE t ALTER a TYPE main."Mood"', 'lakehouse.main.mood'],
    ['ALTER TABLE t ALTER a SET DATA TYPE mood[] USING [a]', 'lakehouse.main.mood'],
    ['ALTER TABLE t ALTER a TYPE VARCHAR USING a::mood', 'lakehouse.main.mood'],
    ['ALTER TABLE t ALTER a TYPE VARCHAR USING CAST(a AS main.mood)', 'lakehouse.main.mood'],
    ['ALTER TABLE t ALTER a TYPE VARCHAR USING m(a)', 'macro'],
    ['ALTER TABLE t ALTER a TYPE VARCHAR USING lakehouse.main.m(a)', 'macro'],
    ['ALTER TABLE t ALTER a SET DEFAULT tm(1)', 'macro'],
    ['ALTER TABLE t ALTER a TYPE passing', 'temporary'],
  ])('that could not be replayed after a kill is refused: %s', async (statement, told) => {
    expect(await service.query(statement, { session_id })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining(told) },
    })
  })

  it.each([
    'ALTER TABLE t ALTER a TYPE lakehouse.main.mood',
    'ALTER TABLE t ALTER mood TYPE VARCHAR USING mood::VARCHAR',
    'ALTER TABLE t ADD COLUMN c mood',
    `ALTER TABLE t ADD COLUMN d mood DEFAULT '1'`,
    'ALTER TABLE t RENAME mood TO m',
  ])('goes on working: %s', async (statement) => {
    expect(await service.query(statement, { session_id })).toMatchObject({ status: 200 })
  })

  it('is judged by what there is, whatever macros are called', async () => {
    const shadow = async (statement: string) =>
      expect(await service.query(statement, { session_id })).toMatchObject({ status: 200 })
    await shadow(
      `CREATE MACRO duckdb_types() AS TABLE SELECT 'x' AS type_name, 'x' AS database_name, 'x' AS schema_name, true AS internal`,
    )
    await shadow(`CREATE MACRO current_schema() AS 'main'`)
    await shadow('CREATE SCHEMA elsewhere')
    for (const statement of [
      'ALTER TABLE t ALTER a TYPE passing',
      `CREATE TYPE elsewhere.other AS ENUM('1')`,
    ])
      expect(await service.query(statement, { session_id }), statement).toMatchObject({ status: 400 })
    const inSchema = { session_id, schema: 'elsewhere' }
    expect(await service.query(`CREATE TYPE other AS ENUM('1')`, inSchema)).toMatchObject({ status: 400 })
    for (const name of ['current_schema', 'TABLE duckdb_types']) await shadow(`DROP MACRO ${name}`)
  })
})

import { type DuckDBConnection, DuckDBInstance, INTEGER } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AnswerCache, CacheUse } from '../../../src/sql/cache/AnswerCache.js'
import { Volatility } from '../../../src/sql/cache/Volatility.js'
import { tokenize } from '../../../src/sql/text/tokenize.js'
import type { HeldConnection } from '../../../src/sql/HeldConnections.js'
import type { Plan } from '../../../src/sql/planStatement.js'
import type { QueryJob } from '../../../src/sql/QueryRequest.js'
import { Changes } from '../../../src/duckdb/transactions.js'

let instance: DuckDBInstance
let connection: DuckDBConnection
let volatility: Volatility
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  volatility = await Volatility.open()
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const job = { request: { statement: 'SELECT 1' }, role: 'read', layout: 'array', page: {} } as QueryJob
const held = { timezone: 'UTC', mayHoldOwn: false } as HeldConnection
const plan = { kind: 'read', tokens: tokenize('SELECT 1').tokens } as unknown as Plan

/** A query answers `parts`, of which its client reads some; then comes what is kept of it. */
const keptOf = async (parts: string[], reads: number, change?: () => Promise<void>) => {
  const changes = new Changes()
  const cache = new AnswerCache(2 ** 20, changes)
  const use = () => CacheUse.of({ cache, volatility }, job, held, { catalog: 'a', schema: 'b' })!
  const first = use()
  first.begin()
  const left = [...parts]
  const rows = first.watch({ names: ['a'], types: [INTEGER], next: () => Promise.resolve(left.shift()) })
  for (let read = 0; read < reads; read++) await rows.next()
  if (change !== undefined) await changes.during(change)
  await first.end(connection, plan, rows, 1)
  return use().find()?.lines.toString()
}

it('keeps an answer whose rows were all read', async () => {
  expect(await keptOf(['[1]\n', '[é]\n'], 3)).toBe('[1]\n[é]\n')
  expect(await keptOf([], 1)).toBe('')
})

it('keeps none whose end was not reached', async () => {
  expect(await keptOf(['[1]\n', '[2]\n'], 2)).toBeUndefined()
  expect(await keptOf(['[1]\n', '[2]\n'], 0)).toBeUndefined()
})

it('keeps none when something has changed since it was begun', async () => {
  expect(await keptOf(['[1]\n'], 2, () => Promise.resolve())).toBeUndefined()
})

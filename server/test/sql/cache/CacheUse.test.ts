import { DuckDBInstance, INTEGER } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AnswerCache } from '../../../src/sql/cache/AnswerCache.js'
import { CacheUse } from '../../../src/sql/cache/CacheUse.js'
import { Volatility } from '../../../src/sql/cache/Volatility.js'
import { tokenize } from '../../../src/sql/guard/tokenize.js'
import type { HeldConnection } from '../../../src/sql/HeldConnections.js'
import type { Plan } from '../../../src/sql/planStatement.js'
import type { QueryJob } from '../../../src/sql/QueryJob.js'
import type { Rows } from '../../../src/sql/rows/streamRows.js'
import { Changes } from '../../../src/store/changes.js'

let instance: DuckDBInstance
let volatility: Volatility
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  volatility = await Volatility.open(await instance.connect())
})
afterAll(() => instance.closeSync())

const job = { request: { statement: 'SELECT 1' }, role: 'read', layout: 'array', page: {} } as QueryJob
const held = { timezone: 'UTC', mayHoldOwn: false } as HeldConnection
const plan = { kind: 'read', tokens: tokenize('SELECT 1').tokens } as unknown as Plan

/** A query that answers `parts`, of which its client reads some, and then asks again. */
const askAgain = async (parts: string[], reads: number, changed = () => Promise.resolve()) => {
  const changes = new Changes()
  const cache = new AnswerCache(2 ** 20, changes)
  const use = () => CacheUse.of({ cache, volatility }, job, held, { catalog: 'a', schema: 'b' })!
  const first = use()
  first.begin()
  const left = [...parts]
  const rows: Rows = first.watch({
    names: ['a'],
    types: [INTEGER],
    next: () => Promise.resolve(left.shift()),
  })
  for (let read = 0; read < reads; read++) await rows.next()
  await changes.during(changed).catch(() => undefined)
  return { first, rows, use, cache }
}
const quiet = async (parts: string[], reads: number) => {
  const cache = new AnswerCache(2 ** 20, new Changes())
  const use = () => CacheUse.of({ cache, volatility }, job, held, { catalog: 'a', schema: 'b' })!
  const first = use()
  first.begin()
  const left = [...parts]
  const rows = first.watch({ names: ['a'], types: [INTEGER], next: () => Promise.resolve(left.shift()) })
  for (let read = 0; read < reads; read++) await rows.next()
  await first.end(await instance.connect(), plan, rows, 1)
  return use().find()?.lines.toString()
}

it('keeps an answer whose rows were all read', async () => {
  expect(await quiet(['[1]\n', '[é]\n'], 3)).toBe('[1]\n[é]\n')
  expect(await quiet([], 1)).toBe('')
})

it('keeps none whose end was not reached', async () => {
  expect(await quiet(['[1]\n', '[2]\n'], 2)).toBeUndefined()
  expect(await quiet(['[1]\n', '[2]\n'], 0)).toBeUndefined()
})

it('keeps none that came while something changed', async () => {
  const { first, rows, use } = await askAgain(['[1]\n'], 2)
  await first.end(await instance.connect(), plan, rows, 1)
  expect(use().find()).toBeUndefined()
})

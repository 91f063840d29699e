import type { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { QueryThreads } from '../../src/sql/QueryThreads.js'

const done: string[] = []
let threads: QueryThreads
beforeEach(() => {
  vi.useFakeTimers()
  done.length = 0
  const connection = {
    run: (statement: string) => Promise.resolve(done.push(statement.replace('SET GLOBAL threads = ', ''))),
    closeSync: () => done.push('closed'),
  }
  threads = new QueryThreads(connection as unknown as DuckDBConnection, 4, 3)
})
afterEach(() => vi.useRealTimers())

it('all threads are there before a query runs, and go a while after the last one', async () => {
  const [first, second] = [await threads.enter(), await threads.enter()]
  expect(done).toEqual(['4'])
  first()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(done).toEqual(['4'])
  second()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(done).toEqual(['4', '3'])
})

it('queries that follow each other change them once', async () => {
  for (let query = 0; query < 20; query++) {
    const end = await threads.enter()
    await vi.advanceTimersByTimeAsync(1000)
    end()
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(done).toEqual(['4'])
})

it('nothing is changed once it is closed', async () => {
  const [first, second] = [await threads.enter(), await threads.enter()]
  first()
  await threads.close()
  second()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(done).toEqual(['4', 'closed'])
})

import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
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

it.runIf(process.platform === 'linux')(
  'what is there for queries alone has the lowest priority, and nothing else once they have ended',
  async () => {
    const priorities = () => {
      const all = new Map<string, number>()
      for (const thread of readdirSync('/proc/self/task'))
        try {
          all.set(thread, getPriority(Number(thread)))
        } catch {
          // The thread has ended meanwhile.
        }
      return all
    }
    const usual = getPriority()
    const instance = await DuckDBInstance.create(':memory:', { threads: '3' })
    const before = priorities()
    threads = new QueryThreads(await instance.connect(), 5, 3)
    const end = await threads.enter()
    const after = priorities()
    const begun = [...after].filter(([thread]) => !before.has(thread)).map(([, nice]) => nice)
    expect(begun).toEqual([19, 19])
    for (const [thread, nice] of before) expect(after.get(thread) ?? nice).toBe(nice)
    end()
    await vi.advanceTimersByTimeAsync(60_000)
    await threads.close()
    const anew = [...priorities()].filter(([thread]) => !before.has(thread) && !after.has(thread))
    expect(anew.map(([, nice]) => nice)).toEqual([usual, usual])
    instance.closeSync()
  },
)

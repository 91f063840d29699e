import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withoutQueries } from '../../src/sql/withoutQueries.js'
import { ConcurrencyLimit } from '../../src/store/ConcurrencyLimit.js'

const create = ({ isMemoryFree }: { isMemoryFree(): boolean } = { isMemoryFree: () => true }) => {
  const limit = new ConcurrencyLimit({ permits: 2, maxWaiting: 10 })
  let cancelled = 0
  let end = () => {}
  const run = withoutQueries({
    limit,
    patienceMs: 50,
    isMemoryFree: () => Promise.resolve(isMemoryFree()),
    cancelAll() {
      cancelled++
      end()
    },
  })
  return {
    limit,
    run,
    onCancel: (work: () => void) => (end = work),
    get cancelled() {
      return cancelled
    },
  }
}

it('starts no query meanwhile, and those that wait after it', async () => {
  const { limit, run } = create()
  let isStarted = false
  const outcome = await run(async () => {
    void limit.acquire().then(() => (isStarted = true))
    await delay(5)
    expect(isStarted).toBe(false)
  })
  expect(outcome).toEqual({ error: undefined, wasFree: true })
  await delay(0)
  expect(isStarted).toBe(true)
})

it('cancels queries that do not end by themselves', async () => {
  const fake = create()
  const permit = await fake.limit.acquire()
  fake.onCancel(() => permit.release())
  const error = new Error('Out of Memory Error: no')
  expect(await fake.run(() => Promise.reject(error))).toEqual({ error, wasFree: true })
  expect(fake.cancelled).toBe(1)
})

it('says when something else holds memory, before or after', async () => {
  const error = new Error('Out of Memory Error: no')
  const fail = () => Promise.reject(error)
  expect(await create({ isMemoryFree: () => false }).run(fail)).toEqual({ error, wasFree: false })
  let looks = 0
  expect(await create({ isMemoryFree: () => looks++ === 0 }).run(fail)).toEqual({ error, wasFree: false })
})

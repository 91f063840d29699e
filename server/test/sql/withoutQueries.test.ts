import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withoutQueries } from '../../src/sql/withoutQueries.js'
import { ConcurrencyLimit } from '../../src/duckdb/ConcurrencyLimit.js'
import { Stillness } from '../../src/duckdb/Upkeep.js'

const create = ({ isMemoryFree }: { isMemoryFree(): boolean } = { isMemoryFree: () => true }) => {
  const limit = new ConcurrencyLimit({ permits: 2, maxWaiting: 10 })
  const storing = new Stillness()
  let cancelled = 0
  let end = () => {}
  const run = withoutQueries({
    others: [limit, storing],
    patienceMs: 100,
    isMemoryFree: () => Promise.resolve(isMemoryFree()),
    cancelAll() {
      cancelled++
      end()
    },
  })
  return {
    limit,
    storing,
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
  expect(outcome).toEqual({ error: undefined, wasFree: true, wasAlone: true })
  await delay(0)
  expect(isStarted).toBe(true)
})

it('cancels queries that do not end by themselves', async () => {
  const fake = create()
  const permit = await fake.limit.acquire()
  fake.onCancel(() => permit.release())
  const error = new Error('Out of Memory Error: no')
  expect(await fake.run(() => Promise.reject(error))).toEqual({ error, wasFree: true, wasAlone: true })
  expect(fake.cancelled).toBe(1)
})

it('says when something else holds memory, before or after', async () => {
  const error = new Error('Out of Memory Error: no')
  const fail = () => Promise.reject(error)
  expect(await create({ isMemoryFree: () => false }).run(fail)).toEqual({
    ...{ error, wasFree: false, wasAlone: true },
  })
  let looks = 0
  expect(await create({ isMemoryFree: () => looks++ === 0 }).run(fail)).toEqual({
    ...{ error, wasFree: false, wasAlone: true },
  })
})

it('waits for what stores rows, holds back what else would, and does one such work at a time', async () => {
  const { storing, run } = create()
  const order: string[] = []
  let end = () => {}
  const first = storing.during(() => new Promise<void>((resolve) => (end = resolve)))
  const alone = ['a', 'b'].map((name) =>
    run(async (isFree) => {
      order.push(`${name} begins ${isFree}`)
      await delay(1)
      order.push(`${name} ends`)
    }),
  )
  await delay(5)
  const later = storing.during(() => Promise.resolve(void order.push('later')))
  expect(order).toEqual([])
  end()
  await Promise.all([first, ...alone, later])
  expect(order.filter((each) => each !== 'later')).toEqual([
    'a begins true',
    'a ends',
    'b begins true',
    'b ends',
  ])
  expect(order.indexOf('later')).toBeGreaterThan(1)
})

it('says that something else stored rows all the while', async () => {
  const { storing, run } = create()
  let end = () => {}
  const upload = storing.during(() => new Promise<void>((resolve) => (end = resolve)))
  expect(await run(() => Promise.resolve())).toEqual({
    ...{ error: undefined, wasFree: false, wasAlone: false },
  })
  end()
  await upload
})

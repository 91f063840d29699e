import { describe, expect, it } from 'vitest'
import { claim } from '../../src/core/claim'
import type { RecordKey } from '../../src/core/records'
import { readKeys } from '../../src/core/queue'
import { createWorld, openDatabase } from '../world/createWorld'
import { all, openQueue } from '../world/openQueue'

type World = ReturnType<typeof createWorld>

/** Records that pages have left which are gone, as they lie in the database. */
const leaveBehind = async (world: World, database: string, count: number, queues = 1) => {
  const start = (world.now() - 3_600_000) * 1000
  await openDatabase(database).transact('put', (store) => {
    for (let n = 0; n < count; n++) {
      const id = `queue-${n % queues}`
      store.put(`track\n"${n}"`, [id, start + n, 1, id] satisfies RecordKey)
    }
  })
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `"${n}"`)

/** As `scan` finds them. */
const find = async (w: ReturnType<typeof openQueue>) => {
  w.abandoned = (await readKeys(w))!.filter(([id]) => id !== w.queueId).sort((a, b) => a[1] - b[1])
}

describe('a claim', () => {
  it('of 1,000 records, of three pages, is complete and in order', async () => {
    const world = createWorld()
    await leaveBehind(world, 'q', 1000, 3)
    const w = openQueue(world, {}, 'q')
    await find(w)
    while (await claim(w));
    expect(all(w).map(({ body }) => body)).toEqual(numbers(1000))
    const keys = (await readKeys(w))!
    expect(keys).toHaveLength(1000)
    expect(new Set(keys.map(([queue]) => queue))).toEqual(new Set([w.queueId]))
  })

  it('never moves so many at once that the page stands still', async () => {
    const world = createWorld()
    await leaveBehind(world, 'q', 1000)
    const w = openQueue(world, {}, 'q')
    await find(w)
    const sizes: number[] = []
    for (let before = 0; await claim(w); before = w.queuedCount) sizes.push(w.queuedCount - before)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(250)
  })

  it('takes off the disk, unread, what is over the limit', async () => {
    const world = createWorld()
    await leaveBehind(world, 'q', 150)
    const w = openQueue(world, { queue: { maxEvents: 60 } }, 'q')
    await find(w)
    while (await claim(w));
    expect(w.dropCounts).toEqual({ 'too-many': 90 })
    expect(all(w).map(({ body }) => body)).toEqual(numbers(150).slice(90))
    expect(await readKeys(w)).toHaveLength(60)
  })

  it('takes nothing in a page that has left', async () => {
    const world = createWorld()
    await leaveBehind(world, 'q', 10)
    const w = openQueue(world, {}, 'q')
    await find(w)
    w.pageState = 'away'
    expect(await claim(w)).toBe(false)
    expect((await readKeys(w))!.map(([queue]) => queue)).toEqual(Array(10).fill('queue-0'))
  })

  it('by two pages at the same time gives each record to one of them', async () => {
    const world = createWorld()
    await leaveBehind(world, 'q', 1000)
    const pages = [openQueue(world, {}, 'q'), openQueue(world, {}, 'q')]
    for (const w of pages) await find(w)
    await Promise.all(
      pages.map(async (w) => {
        while (await claim(w));
      }),
    )
    const claimed = pages.flatMap((w) => all(w).map(({ body }) => body))
    expect(claimed).toHaveLength(1000)
    expect(new Set(claimed).size).toBe(1000)
  })
})

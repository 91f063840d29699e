import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { GroupCommit } from '../../src/wal/GroupCommit.js'
import type { LogRecord } from '../../src/wal/segment.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const record = (count: number, bytes = 10): LogRecord => ({
  kind: 'track',
  count,
  receivedAtMs: 0,
  body: Buffer.alloc(bytes),
})

/** A log that commits one group whenever it is told to. */
const createFake = (gatherMs?: number) => {
  const groups: { counts: number[]; settle(error?: Error): void }[] = []
  let last = 0
  const group = new GroupCommit(
    (records) =>
      new Promise((resolve, reject) => {
        const counts = records.map(({ count }) => count)
        const settle = (error?: Error) => {
          if (error !== undefined) reject(error)
          else resolve((last += counts.reduce((sum, count) => sum + count, 0)))
        }
        groups.push({ counts, settle })
      }),
    gatherMs,
  )
  /** Some turns of the event loop, in which as many milliseconds pass. */
  const turn = async (ms = 0) => {
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(ms)
  }
  return { group, groups, turn }
}

it('commits records together that come while others are being committed, and tells each its last row', async () => {
  const { group, groups, turn } = createFake()
  const first = [group.add(record(1)), group.add(record(4))]
  await turn()
  const second = [group.add(record(2)), group.add(record(3)), group.add(record(1))]
  await turn()
  expect(groups.map(({ counts }) => counts)).toEqual([[1, 4]])
  groups.at(0)!.settle()
  expect(await Promise.all(first)).toEqual([1, 5])
  await turn(2)
  expect(groups.map(({ counts }) => counts)).toEqual([
    [1, 4],
    [2, 3, 1],
  ])
  groups.at(1)!.settle()
  expect(await Promise.all(second)).toEqual([7, 10, 11])
})

it('lets none of a group through when it is not committed, and goes on with the next', async () => {
  const { group, groups, turn } = createFake()
  const first = Promise.allSettled([group.add(record(1)), group.add(record(2))])
  await turn()
  const second = group.add(record(3))
  groups.at(0)!.settle(new Error('gone'))
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await turn(2)
  groups.at(1)!.settle()
  expect(await second).toBe(3)
})

it('puts a large record into a group of its own, and counts the bytes that wait', async () => {
  const { group, groups, turn } = createFake()
  const all = [group.add(record(1, 2 ** 23)), group.add(record(1)), group.add(record(1))]
  expect(group.bytes).toBe(2 ** 23 + 20)
  await turn()
  groups.at(0)!.settle()
  await all[0]
  await turn(2)
  expect(groups.map(({ counts }) => counts)).toEqual([[1], [1, 1]])
  expect(group.bytes).toBe(20)
  groups.at(1)!.settle()
  await Promise.all(all)
  await group.end()
  expect(group.bytes).toBe(0)
})

/** Does so after two have been answered. */
const createFakeOfTwo = async (gatherMs: number) => {
  const fake = createFake(gatherMs)
  void fake.group.add(record(1))
  void fake.group.add(record(2))
  await fake.turn()
  fake.groups.at(0)!.settle()
  await fake.turn()
  return fake
}

it('waits for those who were just answered, and goes on at once when they are back', async () => {
  const { group, groups, turn } = await createFakeOfTwo(2)
  void group.add(record(3))
  await turn(1)
  expect(groups).toHaveLength(1)
  void group.add(record(4))
  await turn()
  expect(groups.at(1)?.counts).toEqual([3, 4])
})

it('waits so long at most, and never for nobody', async () => {
  const { group, groups, turn } = await createFakeOfTwo(2)
  void group.add(record(3))
  await turn(2)
  expect(groups.at(1)?.counts).toEqual([3])
  groups.at(1)!.settle()
  await turn()
  void group.add(record(4))
  await turn()
  expect(groups.at(2)?.counts).toEqual([4])
})

it('does something else between two commits, and tells of its failure', async () => {
  const { group, groups, turn } = createFake()
  void group.add(record(1))
  await turn()
  const between = group.between(() => Promise.resolve(groups.length))
  const failed = group.between(() => Promise.reject(new Error('full')))
  const late = between.then(() => group.between(() => Promise.resolve(groups.length)))
  groups.at(0)!.settle()
  expect(await between).toBe(1)
  await expect(failed).rejects.toThrow('full')
  // It came while nothing but the other two was to be done.
  expect(await late).toBe(1)
  void group.add(record(2))
  await turn()
  expect(groups.at(1)?.counts).toEqual([2])
})

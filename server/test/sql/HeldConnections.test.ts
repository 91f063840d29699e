import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, expect, it, vi } from 'vitest'
import { HeldConnections, type HeldConnection } from '../../src/sql/HeldConnections.js'

afterEach(() => vi.useRealTimers())

/** Runs work on a held connection, in its turn. */
const oneAtATime = async <T>(held: HeldConnection, work: () => Promise<T>): Promise<T> => {
  const leave = await held.enter()
  try {
    return await work()
  } finally {
    leave()
  }
}

const create = async (maxConnections = 64) => {
  const instance = await DuckDBInstance.create(':memory:')
  return new HeldConnections({
    connect: () => instance.connect(),
    home: { catalog: 'memory', schema: 'main' },
    maxConnections,
    idleMs: 60_000,
  })
}

it('keeps the connections of users apart and finds them again', async () => {
  const connections = await create()
  const one = await connections.open('ada', 'same')
  const other = await connections.open('bob', 'same')
  expect(other).not.toBe(one)
  expect(await connections.open('ada', 'same')).toBe(one)
  expect(connections.find('ada', 'same')).toBe(one)
  expect(connections.find('ada', 'other')).toBeUndefined()
  await connections.close()
})

it('makes one connection for two requests that ask for it at once', async () => {
  const connections = await create()
  const [one, other] = await Promise.all([connections.open('ada', 's'), connections.open('ada', 's')])
  expect(other).toBe(one)
  await connections.close()
})

it('closes a connection only after what runs on it, and refuses work after that', async () => {
  const connections = await create()
  const held = await connections.open('ada', 's')
  const work = oneAtATime(held, async () => {
    const reader = await held.connection.runAndReadAll('SELECT count(*) FROM range(20000000)')
    return reader.getRows()[0]?.[0]
  })
  await connections.close()
  expect(await work).toBe(20_000_000n)
  await expect(oneAtATime(held, () => Promise.resolve())).rejects.toMatchObject({ status: 503 })
})

it('does not take away a connection that was opened a moment ago, however many there are', async () => {
  const connections = await create(2)
  const opened = await Promise.all(Array.from({ length: 10 }, (_, at) => connections.open('ada', `s${at}`)))
  for (const held of opened) {
    expect(await oneAtATime(held, () => Promise.resolve('works'))).toBe('works')
  }
  await connections.close()
})

it('makes room among the connections of the user who has most', async () => {
  const connections = await create(4)
  vi.useFakeTimers({ toFake: ['performance'] })
  await connections.open('ada', 'old')
  for (let at = 0; at < 10; at++) {
    vi.advanceTimersByTime(2000)
    await connections.open('bob', `b${at}`)
  }
  expect(connections.find('ada', 'old')).toBeDefined()
  expect(connections.find('bob', 'b0')).toBeUndefined()
  await connections.close()
})

it('ends no connection because the clock is wrong for a moment', async () => {
  const connections = await create(2)
  vi.useFakeTimers({ toFake: ['Date'] })
  await connections.open('ada', 'mine')
  vi.setSystemTime(Date.now() + 86_400_000)
  await connections.open('ada', 'other')
  expect(connections.find('ada', 'mine')).toBeDefined()
  await connections.close()
})

it("ends connections without a client's id before those that a client named", async () => {
  const connections = await create(3)
  vi.useFakeTimers({ toFake: ['performance'] })
  const named = await connections.open('ada', 'mine')
  const back = await connections.open('ada', undefined)
  vi.advanceTimersByTime(2000)
  expect(await connections.open('ada', back.id)).toBe(back)
  const left = await connections.open('ada', undefined)
  vi.advanceTimersByTime(2000)
  for (let burst = 0; burst < 10; burst++) await connections.open('ada', undefined)
  expect(connections.find('ada', 'mine')).toBe(named)
  expect(connections.find('ada', back.id)).toBe(back)
  expect(connections.find('ada', left.id)).toBeUndefined()

  for (let more = 0; more < 3; more++) await connections.open('ada', `more-${more}`)
  expect(connections.find('ada', 'mine')).toBeUndefined()
  await connections.close()
})

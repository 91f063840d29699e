import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, expect, it, vi } from 'vitest'
import { HeldConnections, type HeldConnection } from '../../src/sql/HeldConnections.js'

afterEach(() => vi.useRealTimers())

/** Work on the session, in its turn. */
const oneAtATime = async <T>(session: HeldConnection, work: () => Promise<T>): Promise<T> => {
  const leave = await session.enter()
  try {
    return await work()
  } finally {
    leave()
  }
}

const create = async (maxSessions = 64) => {
  const instance = await DuckDBInstance.create(':memory:')
  return new HeldConnections({
    connect: () => instance.connect(),
    home: { catalog: 'memory', schema: 'main' },
    maxSessions,
    idleMs: 60_000,
  })
}

it('keeps the sessions of users apart and finds them again', async () => {
  const sessions = await create()
  const one = await sessions.open('ada', 'same')
  const other = await sessions.open('bob', 'same')
  expect(other).not.toBe(one)
  expect(await sessions.open('ada', 'same')).toBe(one)
  expect(sessions.find('ada', 'same')).toBe(one)
  expect(sessions.find('ada', 'other')).toBeUndefined()
  await sessions.close()
})

it('makes one session for two requests that ask for it at once', async () => {
  const sessions = await create()
  const [one, other] = await Promise.all([sessions.open('ada', 's'), sessions.open('ada', 's')])
  expect(other).toBe(one)
  await sessions.close()
})

it('closes a connection only after what runs on it, and refuses work after that', async () => {
  const sessions = await create()
  const session = await sessions.open('ada', 's')
  const work = oneAtATime(session, async () => {
    const reader = await session.connection.runAndReadAll('SELECT count(*) FROM range(20000000)')
    return reader.getRows()[0]?.[0]
  })
  await sessions.close()
  expect(await work).toBe(20_000_000n)
  await expect(oneAtATime(session, () => Promise.resolve())).rejects.toMatchObject({ status: 503 })
})

it('does not take away a session that was opened a moment ago, however many there are', async () => {
  const sessions = await create(2)
  const opened = await Promise.all(Array.from({ length: 10 }, (_, at) => sessions.open('ada', `s${at}`)))
  for (const session of opened) {
    expect(await oneAtATime(session, () => Promise.resolve('works'))).toBe('works')
  }
  await sessions.close()
})

it('ends those that nobody named before any that somebody did', async () => {
  const sessions = await create(3)
  vi.useFakeTimers({ toFake: ['Date'] })
  const named = await sessions.open('ada', 'mine')
  const back = await sessions.open('ada', undefined)
  vi.advanceTimersByTime(2000)
  expect(await sessions.open('ada', back.id)).toBe(back)
  const left = await sessions.open('ada', undefined)
  vi.advanceTimersByTime(2000)
  for (let burst = 0; burst < 10; burst++) await sessions.open('ada', undefined)
  expect(sessions.find('ada', 'mine')).toBe(named)
  expect(sessions.find('ada', back.id)).toBe(back)
  expect(sessions.find('ada', left.id)).toBeUndefined()

  for (let more = 0; more < 3; more++) await sessions.open('ada', `more-${more}`)
  expect(sessions.find('ada', 'mine')).toBeUndefined()
  await sessions.close()
})

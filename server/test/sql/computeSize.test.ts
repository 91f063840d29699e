import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { shareOf } from '../../src/sql/computeSize.js'
import type { Body, Service } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ maxQueries: 2, threads: 2, statementTimeoutMs: 3_600_000 })

/** Runs for minutes. */
const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3'
/** DuckDB estimates its rows rightly, and it would run for minutes. */
const huge = 'SELECT sum(hash(a.range)) FROM range(200000000000) a'

const log = (id: string) => service.get(`/query/${id}`)
interface Begun {
  id: string
  session_id: string
  answer: ReturnType<Service['query']>
}
const running = new Set<Begun>()
const begin = (statement: string, more: Body): Begun => {
  const query_id = randomUUID()
  const session_id = `s-${query_id}`
  const named = more['compute_size'] === 'AUTO' ? {} : { session_id }
  const begun = {
    id: query_id,
    session_id,
    answer: service.query(statement, { query_id, ...named, ...more }),
  }
  running.add(begun)
  return begun
}
/** Once the service has heard of it. */
const logOf = async ({ id }: Begun) => {
  for (;;) {
    const { status, body } = await log(id)
    if (status === 200) return body
    await delay(5)
  }
}
const untilPlanned = async (begun: Begun) => {
  for (;;) {
    const body = await logOf(begun)
    if (typeof body['fingerprint'] === 'number') return
    if (typeof body['end_time'] === 'string') throw new Error('The query never ran.')
    await delay(5)
  }
}
const isWaiting = async (begun: Begun) => {
  await logOf(begun)
  // A statement that could start would be planned within this time, and one that cannot never is.
  await delay(100)
  const body = await logOf(begun)
  return body['fingerprint'] === null && body['end_time'] === null
}
const end = async (begun: Begun) => {
  const { id, answer } = begun
  const session = (await logOf(begun))['session_id'] as string
  await fetch(`${service.url}/query/${id}?session_id=${session}`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` },
  })
  running.delete(begun)
  return answer
}
afterEach(async () => {
  await Promise.all([...running].map(end))
})

describe('compute_size', () => {
  it('XS finds room while every other place is taken, and its log says its threads', async () => {
    const others = [begin(endless, {}), begin(endless, {})]
    for (const each of others) await untilPlanned(each)
    const third = begin('SELECT 3', { cache: false })
    expect(await isWaiting(third)).toBe(true)
    const query_id = randomUUID()
    const small = await service.query('SELECT 1', { compute_size: 'XS', query_id, cache: false })
    expect(small.rows).toEqual([[1]])
    expect((await log(query_id)).body).toMatchObject({ threads: 2 })
    expect(await isWaiting(third)).toBe(true)
    for (const each of others) await end(each)
    expect((await third.answer).rows).toEqual([[3]])
  })

  it('XL runs when it may have most places, and holds up no XS', async () => {
    const usual = begin(endless, {})
    await untilPlanned(usual)
    const large = begin(endless, { compute_size: 'XL' })
    expect(await isWaiting(large)).toBe(true)
    await end(usual)
    await untilPlanned(large)
    const second = begin('SELECT 2', { cache: false })
    expect(await isWaiting(second)).toBe(true)
    expect((await service.query('SELECT 1', { compute_size: 'XS', cache: false })).rows).toEqual([[1]])
    await end(large)
    expect((await second.answer).rows).toEqual([[2]])
  })

  it('AUTO is an XL when DuckDB expects very many rows, and else as if nothing was said', async () => {
    const usual = begin(endless, {})
    await untilPlanned(usual)
    expect((await service.query('SELECT 1', { compute_size: 'AUTO', cache: false })).rows).toEqual([[1]])
    const large = begin(huge, { compute_size: 'AUTO' })
    await untilPlanned(large)
    // It waits for the places of an XL, and has given its own back.
    const other = begin('SELECT 5', { cache: false })
    expect((await other.answer).rows).toEqual([[5]])
    await end(usual)
    const third = begin('SELECT 6', { cache: false })
    expect(await isWaiting(third)).toBe(true)
    await end(large)
    expect((await third.answer).rows).toEqual([[6]])
  })

  it('XS and S have time limits of their own, and none is longer than the service’s', () => {
    expect(shareOf('XS', 10)).toEqual({ permits: 1, isSmall: true, maxMs: 10_000 })
    expect(shareOf('S', 10)).toEqual({ permits: 1, isSmall: false, maxMs: 60_000 })
    for (const size of ['M', undefined, null] as const)
      expect(shareOf(size, 10)).toEqual({ permits: 1, isSmall: false, maxMs: Infinity })
    expect(shareOf('L', 10).permits).toBe(3)
    expect(shareOf('XL', 10).permits).toBe(6)
    expect(shareOf('XL', 2).permits).toBe(2)
  })

  it('an XS that takes longer is told to ask for a larger size', async () => {
    const real = setTimeout
    const soon = (run: () => void, ms?: number) => real(run, ms === shareOf('XS', 2).maxMs ? 200 : ms)
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(soon)
    const { status, error } = await service.query(endless, { compute_size: 'XS' })
    vi.restoreAllMocks()
    expect(status).toBe(400)
    expect(error).toMatchObject({
      error: 'query-timeout',
      message: 'The query took longer than its compute_size allows. Ask with a larger one, or without one.',
    })
  })

  it('AUTO goes with no session_id', async () => {
    const { status } = await service.query('SELECT 1', { compute_size: 'AUTO', session_id: 'a' })
    expect(status).toBe(400)
  })
})

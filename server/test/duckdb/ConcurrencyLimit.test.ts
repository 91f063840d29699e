import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConcurrencyLimit, type Permit } from '../../src/duckdb/ConcurrencyLimit.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const aMoment = () => vi.advanceTimersByTimeAsync(50)

/** Notes in which order they have their turn. */
const ask = (limit: ConcurrencyLimit, order: string[], user: string, name = user) =>
  limit.acquire({ user }).then((permit) => {
    order.push(name)
    return permit
  })

it('the next is the user who has the fewest places, and then who came first', async () => {
  const limit = new ConcurrencyLimit({ permits: 2, maxWaiting: 10 })
  const order: string[] = []
  const first = await ask(limit, order, 'ada', 'a1')
  const second = await ask(limit, order, 'ada', 'a2')
  void ask(limit, order, 'ada', 'a3')
  const bobs = ask(limit, order, 'bob', 'b1')
  void ask(limit, order, 'ada', 'a4')
  first.release()
  const permit = await bobs
  expect(order).toEqual(['a1', 'a2', 'b1'])
  second.release()
  permit.release()
  await aMoment()
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
})

it('one that rests gives its place to others, and has one again when there is one', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 10 })
  const order: string[] = []
  const ada = await ask(limit, order, 'ada')
  const bob = ask(limit, order, 'bob')
  ada.pause()
  const permit = await aMoment().then(() => bob)
  const back = ada.resume().then(() => order.push('ada again'))
  await aMoment()
  expect(order).toEqual(['ada', 'bob'])
  permit.release()
  await back
  expect(order).toEqual(['ada', 'bob', 'ada again'])
})

it('one that goes on within a moment keeps its place', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 10 })
  const order: string[] = []
  const ada = await ask(limit, order, 'ada')
  void ask(limit, order, 'bob')
  ada.pause()
  await vi.advanceTimersByTimeAsync(49)
  await ada.resume()
  await aMoment()
  expect(order).toEqual(['ada'])
  ada.release()
  await aMoment()
  expect(order).toEqual(['ada', 'bob'])
})

it('a place is given once, whatever one that rests does then', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 10 })
  const order: string[] = []
  const ada = await ask(limit, order, 'ada')
  ada.pause()
  await aMoment()
  ada.release()
  ada.release()
  const bob = await ask(limit, order, 'bob')
  void ask(limit, order, 'eve')
  await aMoment()
  expect(order).toEqual(['ada', 'bob'])
  bob.release()
  await aMoment()
  expect(order).toEqual(['ada', 'bob', 'eve'])
})

it('one that waits to go on leaves when it is cancelled', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 10 })
  const gone = new AbortController()
  const ada = await limit.acquire({ user: 'ada', signal: gone.signal })
  ada.pause()
  await aMoment()
  const bob = await limit.acquire({ user: 'bob' })
  const back = ada.resume()
  gone.abort(new Error('gone'))
  await expect(back).rejects.toThrow('gone')
  ada.release()
  bob.release()
  await expect(limit.acquire({ user: 'eve' })).resolves.toBeDefined()
})

it('when too many rest, the one ends that has rested longest of the user who has most', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 10, maxPaused: 3 })
  const ended: string[] = []
  for (const [user, name] of [
    ['bob', 'b1'],
    ['ada', 'a1'],
    ['ada', 'a2'],
    ['eve', 'e1'],
  ] as const) {
    const permit = await limit.acquire({ user, end: () => ended.push(name) })
    permit.pause()
    await aMoment()
  }
  expect(ended).toEqual(['a1'])
})

it('refuses one more when enough wait', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 1 })
  await limit.acquire()
  void limit.acquire()
  await expect(limit.acquire()).rejects.toMatchObject({ status: 503, code: 'overloaded' })
})

it('users take turns, however many one has waiting, and whoever comes new is next', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 100 })
  const order: string[] = []
  const begun: Permit[] = []
  const wait = (user: string, name: string) =>
    void ask(limit, order, user, name).then((permit) => begun.push(permit))
  const next = async () => {
    begun.at(-1)?.release()
    await aMoment()
  }
  for (const name of ['a0', 'a1', 'a2', 'a3']) wait('ada', name)
  for (const name of ['b1', 'b2']) wait('bob', name)
  for (let n = 0; n < 4; n++) await next()
  expect(order).toEqual(['a0', 'b1', 'a1', 'b2'])
  wait('eve', 'e1')
  for (let n = 0; n < 2; n++) await next()
  expect(order.slice(4)).toEqual(['e1', 'a2'])
})

it('one user never has all permits: who has none finds one free, and a waiting crowd keeps out nobody', async () => {
  const limit = new ConcurrencyLimit({ permits: 4, maxWaiting: 100 })
  const order: string[] = []
  for (let n = 0; n < 60; n++) void ask(limit, order, 'agent')
  await aMoment()
  expect(order).toEqual(['agent', 'agent', 'agent'])
  for (let n = 0; n < 40; n++) {
    const permit = await ask(limit, order, 'admin')
    permit.release()
  }
  expect(order.length).toBe(43)
})

it('in a full queue the user who has most makes room, and nobody is refused for what others ask', async () => {
  const limit = new ConcurrencyLimit({ permits: 1, maxWaiting: 4 })
  const order: string[] = []
  const refused: string[] = []
  const note = (name: string) => () => void refused.push(name)
  const first = await ask(limit, order, 'ada', 'a0')
  for (const n of [1, 2, 3, 4]) void ask(limit, order, 'ada', `a${n}`).catch(note(`a${n}`))
  await expect(limit.acquire({ user: 'ada' })).rejects.toMatchObject({ code: 'overloaded' })
  for (const n of [1, 2, 3]) void ask(limit, order, 'bob', `b${n}`).catch(note(`b${n}`))
  await aMoment()
  expect(refused.toSorted()).toEqual(['a3', 'a4', 'b3'])
  first.release()
  await aMoment()
  expect(order).toEqual(['a0', 'b1'])
})

/** Notes who is started, and gives the permits. */
const sized = (limit: ConcurrencyLimit, order: string[], name: string, permits: number, isSmall = false) =>
  limit.acquire({ user: name, permits, isSmall }).then((permit) => {
    order.push(name)
    return permit
  })

it('one that needs many permits waits until so many are free, and others pass it meanwhile', async () => {
  const limit = new ConcurrencyLimit({ permits: 4, maxWaiting: 10 })
  const order: string[] = []
  const first = await sized(limit, order, 'first', 1)
  const second = await sized(limit, order, 'second', 1)
  const large = sized(limit, order, 'large', 3)
  const third = await sized(limit, order, 'third', 1)
  third.release()
  await aMoment()
  expect(order).toEqual(['first', 'second', 'third'])
  second.release()
  const permit = await large
  void sized(limit, order, 'fourth', 1)
  await aMoment()
  expect(order).toEqual(['first', 'second', 'third', 'large'])
  permit.release()
  first.release()
  await aMoment()
  expect(order).toEqual(['first', 'second', 'third', 'large', 'fourth'])
  expect(limit.isIdle).toBe(false)
})

it('one that needs many permits is not passed for ever', async () => {
  const limit = new ConcurrencyLimit({ permits: 2, maxWaiting: 100 })
  const order: string[] = []
  let last = await sized(limit, order, 'small', 1)
  void sized(limit, order, 'large', 2)
  // Each begins before the one before it ends, so that both permits are never free.
  for (let n = 0; n < 50 && !order.includes('large'); n++) {
    const next = sized(limit, order, 'small', 1)
    await aMoment()
    last.release()
    await aMoment()
    if (!order.includes('large')) last = await next
  }
  expect(order.at(-1)).toBe('large')
  expect(order.length).toBe(22)
})

it('kept permits are for what is small, also when a large one waits', async () => {
  const limit = new ConcurrencyLimit({ permits: 2, kept: 1, maxWaiting: 1 })
  const order: string[] = []
  const all = await sized(limit, order, 'large', 2)
  void sized(limit, order, 'next large', 2)
  await expect(sized(limit, order, 'one too many', 1)).rejects.toMatchObject({ code: 'overloaded' })
  const small = await sized(limit, order, 'small', 1, true)
  void sized(limit, order, 'second small', 1, true)
  await aMoment()
  expect(order).toEqual(['large', 'small'])
  small.release()
  await aMoment()
  expect(order).toEqual(['large', 'small', 'second small'])
  all.release()
  await aMoment()
  expect(order).toEqual(['large', 'small', 'second small', 'next large'])
})

it('gives back as many permits as it took, to where they came from, also after a pause', async () => {
  const limit = new ConcurrencyLimit({ permits: 3, kept: 1, maxWaiting: 10 })
  const order: string[] = []
  const large = await sized(limit, order, 'large', 3)
  const small = await sized(limit, order, 'small', 1, true)
  large.pause()
  small.pause()
  await aMoment()
  const others = await Promise.all([1, 2, 3].map((n) => sized(limit, order, `other ${n}`, 1)))
  const back = large.resume()
  await small.resume()
  for (const other of others) other.release()
  await back
  large.release()
  small.release()
  expect(limit.isIdle).toBe(true)
})

it('one that needs more permits than there are takes all of them', async () => {
  const limit = new ConcurrencyLimit({ permits: 2, maxWaiting: 10 })
  const permit = await limit.acquire({ permits: 9 })
  permit.release()
  expect(limit.isIdle).toBe(true)
})

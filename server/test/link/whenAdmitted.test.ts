import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Admission, Breaker, whenAdmitted } from '../../src/link/Breaker.js'
import type { EngineLink } from '../../src/link/EngineLink.js'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** An engine that comes and goes when a test says so. */
class FakeLink extends EventEmitter {
  isUp = false
  #upAtMs = 0

  get upForMs() {
    return performance.now() - this.#upAtMs
  }

  turn(isUp: boolean) {
    this.isUp = isUp
    if (isUp) this.#upAtMs = performance.now()
    this.emit('turned')
  }

  whenUp = (withinMs: number) => this.#when(() => this.isUp, withinMs)
  whenDown = (withinMs: number) => this.#when(() => !this.isUp, withinMs)

  #when(isTrue: () => boolean, withinMs: number): Promise<boolean> {
    if (isTrue()) return Promise.resolve(true)
    return new Promise((resolve) => {
      this.once('turned', () => resolve(isTrue()))
      setTimeout(() => resolve(isTrue()), withinMs)
    })
  }
}

const open = () => {
  const link = new FakeLink()
  const breaker = new Breaker()
  const admitted: Record<string, Admission> = {}
  const ask = (user: string, withinMs = 60_000) => {
    const gate = { link: link as unknown as EngineLink, breaker }
    void whenAdmitted(gate, { user, withinMs }).then((admission) => (admitted[user] = admission))
  }
  return { link, breaker, admitted, ask }
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const yes = { kind: 'admitted' }

it('lets those who waited for a start go before the user whose statement ended the engine', async () => {
  const { link, breaker, admitted, ask } = open()
  breaker.note({ user: 'eve', statement: 'a' }, 'odd')
  for (const user of ['eve', 'bob']) ask(user)
  await pass(5000)
  link.turn(true)
  await pass(2900)
  expect(admitted).toEqual({ bob: yes })
  await pass(200)
  expect(admitted).toEqual({ bob: yes, eve: yes })
})

it('counts the rest from the last start', async () => {
  const { link, breaker, admitted, ask } = open()
  breaker.note({ user: 'eve', statement: 'a' }, 'odd')
  ask('eve')
  link.turn(true)
  await pass(1000)
  link.turn(false)
  await pass(1500)
  link.turn(true)
  await pass(2900)
  expect(admitted).toEqual({})
  await pass(200)
  expect(admitted).toEqual({ eve: yes })
})

it('says at once what is longer than a client waits, and that there is no engine', async () => {
  const { link, breaker, admitted, ask } = open()
  for (let times = 0; times < 5; times++) breaker.note({ user: 'eve', statement: 'a' }, 'odd')
  link.turn(true)
  ask('eve', 10_000)
  await pass(0)
  expect(admitted).toEqual({ eve: { kind: 'resting', leftMs: 48_000 } })
  link.turn(false)
  ask('bob', 10_000)
  await pass(10_000)
  expect(admitted['bob']).toEqual({ kind: 'starting' })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Payload } from '../../src/core/records'
import { adopt, finish, mark, next, put, sizeOf } from '../../src/core/queue'
import { on } from '../../src/core/signals'
import { createWorld } from '../world/createWorld'
import { all, openQueue } from '../world/openQueue'

const accepted = { status: 'accepted' } as const
const bodies = (batch: Payload[]) => batch.map(({ body }) => body)

describe('the limits of the queue', () => {
  const limits = { maxEvents: 10, maxBytes: 1000, ttlMs: 5000 }

  it('name why a record goes: its age before their number, their number before their bytes', () => {
    const world = createWorld()
    const w = openQueue(world, { queue: limits, batch: { maxEvents: 1 } })
    const reasons: string[] = []
    on(w, 'drop', ({ reason }) => reasons.push(reason))
    const fill = (count: number, size: number) => {
      for (let n = 0; n < count; n++) put(w, 'track', { id: '', body: 'x'.repeat(size - 1) })
    }
    fill(10, 100)
    expect(reasons).toEqual([])
    fill(1, 100)
    expect(reasons).toEqual(['too-many'])
    finish(w, all(w).slice(0, 1), accepted)
    fill(1, 101)
    expect(reasons.splice(0)).toEqual(['too-many', 'too-big'])
    world.setClock(world.now() + 5000)
    fill(1, 1)
    expect(reasons.splice(0)).toEqual([])
    world.setClock(world.now() + 1)
    fill(1, 1)
    expect(reasons.splice(0)).toEqual(Array(9).fill('too-old'))
  })

  it('hold for what was claimed, too', () => {
    const world = createWorld()
    const w = openQueue(world, { queue: limits })
    const claimed = Array.from({ length: 12 }, (_, n) => [
      [w.queueId, (world.now() - 100 + n) * 1000, 1, 'other'],
      `track\n"${n}"`,
    ])
    adopt(w, claimed as Parameters<typeof adopt>[1])
    expect(bodies(all(w))).toEqual(Array.from({ length: 10 }, (_, n) => `"${n + 2}"`))
    expect(w.dropCounts).toEqual({ 'too-many': 2 })
  })

  it('take the shortest run of the oldest that brings the rest under them', () => {
    const tasks = fc.array(
      fc.record({
        afterMs: fc.nat(2000),
        count: fc.integer({ min: 1, max: 5 }),
        size: fc.integer({ min: 1, max: 150 }),
      }),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(tasks, (made) => {
        const world = createWorld()
        const w = openQueue(world, { queue: limits, batch: { maxEvents: 5 } })
        const records: typeof w.records = []
        const counts = new Map<(typeof records)[number], [payloads: number, bytes: number]>()
        for (const { afterMs, count, size } of made) {
          world.setClock(world.now() + afterMs)
          for (let n = 0; n < count; n++) {
            put(w, 'track', { id: '', body: 'x'.repeat(size) })
            const record = w.records.at(-1)!
            if (!counts.has(record)) records.push(record)
            if (record.items.length) counts.set(record, [record.items.length, sizeOf(record.items) - 1])
          }
          // The end of the task: what it tracked is a record.
          for (const record of w.records) record.isPut = true
        }
        const fits = (left: typeof records) => {
          const [queued, bytes] = [0, 1].map((i) =>
            left.reduce((total, record) => total + counts.get(record)![i]!, 0),
          )
          const oldest = (world.now() - limits.ttlMs) * 1000
          return queued! <= 10 && bytes! <= 1000 && left.every(({ key }) => key[1] >= oldest)
        }
        const gone = records.length - w.records.length
        expect(w.records).toEqual(records.slice(gone))
        expect(fits(w.records)).toBe(true)
        if (gone) expect(fits(records.slice(gone - 1))).toBe(false)
      }),
    )
  })

  it('spare what a request carries', () => {
    const w = openQueue(createWorld(), { queue: { maxEvents: 2 }, batch: { maxEvents: 1 } })
    for (const body of ['"A"', '"B"']) put(w, 'track', { id: '', body })
    mark(w, next(w, 3), true)
    put(w, 'track', { id: '', body: '"C"' })
    expect(bodies(all(w))).toEqual(['"A"', '"C"'])
  })

  it('drop the oldest, and count each', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ queue: { maxEvents: 40 } })
    await waymark.ready()
    world.service.become({ kind: 'down' })
    for (let n = 0; n < 100; n++) waymark.track(`E${n}`)
    await world.settle()
    expect(waymark.stats()).toMatchObject({ queued: 40, dropped: { 'too-many': 60 } })
    world.service.become({ kind: 'well' })
    await world.advance(60_000)
    expect(world.service.names()).toEqual(Array.from({ length: 40 }, (_, n) => `E${n + 60}`))
  })

  it('drop what is over the bytes or the age', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ queue: { maxBytes: 5000, ttlMs: 60_000 } })
    await waymark.ready()
    world.service.become({ kind: 'down' })
    for (let n = 0; n < 10; n++) {
      waymark.track(`E${n}`, { text: 'x'.repeat(1000) })
      await world.settle()
    }
    expect(waymark.stats().bytes).toBeLessThanOrEqual(5000)
    expect(waymark.stats().dropped['too-big']).toBe(7)
    await world.advance(61_000)
    waymark.track('Fresh')
    await world.settle()
    expect(waymark.stats()).toMatchObject({ queued: 1, dropped: { 'too-big': 7, 'too-old': 3 } })
  })

  it('hold when a listener tracks an event for each that is dropped over them', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ queue: { maxEvents: 5 } })
    await waymark.ready()
    world.service.become({ kind: 'down' })
    let heard = 0
    let isRunning = false
    waymark.on('drop', () => {
      if (isRunning || ++heard > 1000) return
      isRunning = true
      waymark.track('Lost')
      isRunning = false
    })
    for (let n = 0; n < 10; n++) {
      waymark.track(`E${n}`)
      await world.settle()
    }
    expect(heard).toBe(5)
    // Whole records go: the last of them may be more than is needed.
    const { queued, dropped } = waymark.stats()
    expect([4, 5]).toContain(queued)
    expect(dropped).toEqual({ 'too-many': 15 - queued })
  })

  it('let a listener track an event for one that was too old', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ queue: { ttlMs: 60_000 } })
    await waymark.ready()
    world.service.become({ kind: 'down' })
    waymark.track('Old')
    await world.advance(61_000)
    waymark.on('drop', () => void waymark.track('Lost'))
    waymark.track('New')
    await world.settle()
    expect(waymark.stats()).toMatchObject({ queued: 2, dropped: { 'too-old': 1 } })
  })

  it('let go of one event that alone is over the bytes, and keep the others', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({ queue: { maxBytes: 5000 } })
    await waymark.ready()
    world.service.become({ kind: 'down' })
    for (const name of ['A', 'B', 'C']) {
      waymark.track(name)
      await world.settle()
    }
    const { outcome } = waymark.track('Big', { text: 'x'.repeat(5000) })
    await world.settle()
    expect(await outcome).toEqual({ status: 'dropped', reason: 'too-big' })
    expect(waymark.stats()).toMatchObject({ queued: 3, dropped: { 'too-big': 1 } })
  })
})

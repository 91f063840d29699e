import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../src/browser/openDatabase'
import { createQueue } from '../src/queue/createQueue'
import { createRecords } from '../src/queue/createRecords'
import { createTally } from '../src/queue/createTally'
import { cutBatch } from '../src/queue/cutBatch'
import type { Row } from '../src/queue/row'
import { createSignals } from '../src/signals'
import type { Kind, Outcome } from '../src/types'
import { createWorld } from './world/createWorld'

const kinds: Kind[] = ['track', 'identify', 'alias']

const bodies = (rows: Row[]) => rows.flatMap(({ payloads }) => payloads.map(({ body }) => body))

/** What a random run does to a queue. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      kind: fc.constantFrom(...kinds),
      size: fc.integer({ min: 1, max: 300 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'store' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('acknowledge' as const),
      maxBytes: fc.integer({ min: 1, max: 900 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), index: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
)

describe('the queue', () => {
  it('holds exactly what was put and not finished, in order, over crashes, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = createWorld()
        globalThis.indexedDB = new IDBFactory()
        globalThis.IDBKeyRange = IDBKeyRange
        const { browser } = world.openTab()
        const { emit } = createSignals()
        const limits = { maxEvents: 10_000, maxBytes: 1e7, ttlMs: 1e9 }
        const open = () => {
          const records = createRecords(openDatabase('q'))
          const config = {
            batch: { maxEvents: 5, maxBytes: 600, intervalMs: 0 },
            queue: limits,
            insertId: false as const,
          }
          const queue = createQueue(browser, records, config, createTally(emit), emit)
          return { records, queue }
        }
        let { queue, records } = open()
        let model: string[] = []
        let count = 0

        for (const now of steps) {
          if (now.do === 'put') {
            const body = `"${count++}${'x'.repeat(now.size)}"`
            queue.put(now.kind, { id: `id-${count}`, body })
            model.push(body)
          } else if (now.do === 'store') {
            queue.store({})
          } else if (now.do === 'acknowledge') {
            queue.store({})
            const batch = cutBatch(queue.all(), now.maxBytes)
            expect(bodies(batch)).toEqual(model.slice(0, bodies(batch).length))
            queue.finish(batch, { status: 'accepted' })
            model = model.slice(bodies(batch).length)
          } else if (now.do === 'drop') {
            queue.store({})
            // As the halving around a bad payload does it.
            const bad = model[now.index]
            for (let row; (row = queue.all().find((one) => bodies([one]).includes(bad!)));) {
              if (row.payloads.length > 1) queue.split(row)
              else queue.finish([row], { status: 'dropped', reason: 'quarantined' } satisfies Outcome)
            }
            model = model.filter((body) => body !== bad)
          } else {
            queue.store({})
            await world.settle()
            const from = queue.lane()
            ;({ queue, records } = open())
            for (let claimed; (claimed = await records.claim(from, queue.lane(), 3)).length;)
              queue.adopt(claimed)
          }
          expect(bodies(queue.all())).toEqual(model)
          expect(queue.size().bytes).toBe(model.reduce((sum, body) => sum + body.length + 1, 0))
        }

        queue.store({})
        await world.settle()
        const reread = open()
        for (let claimed; (claimed = await reread.records.claim(queue.lane(), 'last', 100)).length;) {
          reread.queue.adopt(claimed)
        }
        expect(bodies(reread.queue.all())).toEqual(model)
      }),
      { numRuns: 60 },
    )
  })

  it('drops the oldest over its limits, and counts each', async () => {
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

  it('drops what is over its bytes or its age', async () => {
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

  it('goes on when a listener tracks an event for each that is dropped over the limits', async () => {
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
    expect(waymark.stats()).toMatchObject({ queued: 5, dropped: { 'too-many': 10 } })
  })

  it('lets a listener track an event for one that was too old', async () => {
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

  it('lets go of one event that alone is over its bytes, and keeps the others', async () => {
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

  it('in memory holds nothing of what was sent', async () => {
    const { browser } = createWorld().openTab()
    const { emit } = createSignals()
    const config = {
      batch: { maxEvents: 1, maxBytes: 600, intervalMs: 0 },
      queue: { maxEvents: 10, maxBytes: 1e7, ttlMs: 1e9 },
      insertId: false as const,
    }
    const queue = createQueue(browser, undefined, config, createTally(emit), emit)
    const sent = Array.from({ length: 3 }, (_, n) => {
      const payload = { id: `id-${n}`, body: '{}' }
      queue.put('track', payload)
      queue.store()
      queue.finish(queue.all(), { status: 'accepted' })
      return new WeakRef(payload)
    })
    setFlagsFromString('--expose-gc')
    // What a WeakRef was made of in a task stays until the end of that task.
    await new Promise((resolve) => setImmediate(resolve))
    runInNewContext('gc')()
    expect(sent.map((payload) => payload.deref())).toEqual([undefined, undefined, undefined])
    expect(queue.size()).toMatchObject({ queued: 0, bytes: 0 })
  })

  it('stores what one task tracked as one record', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    await waymark.ready()
    for (let n = 0; n < 15; n++) waymark.track(`E${n}`)
    await world.settle()
    const keys = await createRecords(openDatabase('waymark production pk_test')).keys()
    expect(keys.map(([, , payloads]) => payloads)).toEqual([15])
  })
})

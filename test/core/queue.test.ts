import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claim } from '../../src/core/claim'
import type { Payload } from '../../src/core/records'
import { adopt, finish, giveUp, mark, next, put, readKeys, sizeOf, forgetClaimed } from '../../src/core/queue'
import type { Kind } from '../../src/core/types'
import { createWorld } from '../world/createWorld'
import { all, openQueue, type Queue } from '../world/openQueue'
import { readRecords } from '../world/readStore'

const kinds: Kind[] = ['track', 'identify', 'alias']
const accepted = { status: 'accepted' } as const

const bodies = (batch: Payload[]) => batch.map(({ body }) => body)
const sum = (texts: string[]) => texts.reduce((bytes, text) => bytes + text.length + 1, 0)

/** What a random run does to a queue. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      kind: fc.constantFrom(...kinds),
      size: fc.integer({ min: 1, max: 300 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'end task' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('send' as const), maxBytes: fc.integer({ min: 1, max: 900 }) }),
  },
  // The service may take a part of a request with several payloads, as the halving around a bad one finds out.
  { weight: 3, arbitrary: fc.record({ do: fc.constant('answer' as const), taken: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), index: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
)

/** What the page has begun when it dies is on disk: another page claims it. */
const crash = async (world: ReturnType<typeof createWorld>, queue: Queue) => {
  await world.settle()
  const heir = openQueue(world, queue.config, 'q')
  heir.abandoned = (await readKeys(heir))!
  while (await claim(heir));
  return heir
}

describe('the queue', () => {
  it('holds exactly what was put and not finished, in order, over crashes, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = createWorld()
        let w = openQueue(world, { batch: { maxEvents: 5, maxBytes: 600 } }, 'q')
        let model: string[] = []
        let sent: Payload[] = []
        let count = 0

        for (const now of steps) {
          if (now.do === 'put') {
            const body = `"${count++}${'x'.repeat(now.size)}"`
            put(w, now.kind, { id: `id-${count}`, body })
            model.push(body)
          } else if (now.do === 'end task') {
            await world.settle()
          } else if (now.do === 'send') {
            mark(w, sent, false)
            sent = next(w, now.maxBytes)
            expect(bodies(sent)).toEqual(model.slice(0, sent.length))
            mark(w, sent, true)
          } else if (now.do === 'answer') {
            mark(w, sent, false)
            finish(w, sent.slice(0, now.taken), accepted)
            model = model.filter((body) => !bodies(sent.slice(0, now.taken)).includes(body))
            sent = []
          } else if (now.do === 'drop') {
            const bad = all(w)[now.index]
            if (bad) finish(w, [bad], { status: 'dropped', reason: 'quarantined' })
            model = model.filter((body) => body !== bad?.body)
          } else {
            sent = []
            w = await crash(world, w)
          }
          expect(bodies(all(w))).toEqual(model)
          expect([w.queuedCount, w.queuedBytes]).toEqual([model.length, sum(model)])
        }

        expect(bodies(all(await crash(world, w)))).toEqual(model)
      }),
      { numRuns: 60 },
    )
  })

  it('puts what one task tracks under one key that tells how much it is', async () => {
    const world = createWorld()
    const w = openQueue(world, {}, 'q')
    for (const body of ['"one"', '"two"', '"zwölf"']) put(w, 'track', { id: '', body })
    await world.settle()
    put(w, 'track', { id: '', body: '"next task"' })
    await world.settle()
    const first = world.now() * 1000
    expect(await readKeys(w)).toEqual([
      [w.queueId, first, 3, w.queueId],
      [w.queueId, first + 1, 1, w.queueId],
    ])
  })

  it('takes a payload out of a record, on disk too, and leaves the others in it', async () => {
    const world = createWorld()
    const w = openQueue(world, {}, 'q')
    for (const body of ['"A"', '"bad"', '"B"']) put(w, 'track', { id: '', body })
    await world.settle()
    finish(w, [all(w)[1]!], { status: 'dropped', reason: 'quarantined' })
    const heir = await crash(world, w)
    expect(bodies(all(heir))).toEqual(['"A"', '"B"'])
    expect([heir.queuedCount, heir.queuedBytes]).toEqual([2, sum(['"A"', '"B"'])])
  })

  it('puts what is tracked after another page’s records behind them, also within one millisecond', () => {
    const world = createWorld()
    const w = openQueue(world)
    const sequence = world.now() * 1000 + 500
    adopt(w, [[[w.queueId, sequence, 1, 'other'], 'track\n"A"']])
    put(w, 'track', { id: '', body: '"B"' })
    expect(bodies(all(w))).toEqual(['"A"', '"B"'])
    expect(w.records.map(({ key }) => key[1])).toEqual([sequence, sequence + 1])
  })

  it('puts claimed records of an older page before its own', () => {
    const world = createWorld()
    const w = openQueue(world)
    put(w, 'track', { id: '', body: '"mine"' })
    const sequence = (world.now() - 60_000) * 1000
    adopt(w, [[[w.queueId, sequence, 1, 'other'], 'identify\n"theirs"']])
    expect(bodies(all(w))).toEqual(['"theirs"', '"mine"'])
    expect(all(w)[0]!.record.kind).toBe('identify')
  })

  it.each(['memory', 'IndexedDB'])('in %s holds nothing of what was sent', async (store) => {
    const world = createWorld()
    const w = openQueue(world, { batch: { maxEvents: 1 } }, store === 'memory' ? undefined : 'q')
    const sent: WeakRef<object>[] = []
    for (let n = 0; n < 3; n++) {
      put(w, 'track', { id: `id-${n}`, body: '{}' })
      await world.settle()
      sent.push(new WeakRef(all(w)[0]!), new WeakRef(w.records[0]!))
      finish(w, all(w), accepted)
      await world.settle()
    }
    setFlagsFromString('--expose-gc')
    // What a WeakRef was made of in a task stays until the end of that task.
    await new Promise((resolve) => setImmediate(resolve))
    runInNewContext('gc')()
    expect(sent.filter((part) => part.deref())).toEqual([])
    expect([w.queuedCount, w.queuedBytes, w.records.length]).toEqual([0, 0, 0])
  })
})

describe('a batch', () => {
  /** A queue of records, some of them in flight, some empty by now, and how much a request may carry. */
  const made = fc.record({
    maxEvents: fc.integer({ min: 1, max: 4 }),
    maxBytes: fc.integer({ min: 1, max: 20 }),
    payloads: fc.array(
      fc.record({ kind: fc.constantFrom('track', ...kinds, 'track'), size: fc.integer({ min: 1, max: 4 }) }),
      { maxLength: 30 },
    ),
    busy: fc.array(fc.boolean(), { maxLength: 30 }),
    gone: fc.array(fc.boolean(), { maxLength: 30 }),
  })
  const build = ({
    maxEvents,
    payloads,
    busy,
    gone,
  }: typeof made extends fc.Arbitrary<infer T> ? T : never) => {
    const w = openQueue(createWorld(), { batch: { maxEvents } })
    payloads.forEach(({ kind, size }, n) => put(w, kind, { id: `${n}`, body: 'x'.repeat(size) }))
    w.records.forEach((record, n) => (record.isBusy = !!busy[n]))
    for (const { items } of w.records.filter((_, n) => gone[n])) finish(w, [...items], accepted)
    return w
  }

  it('is of one kind, of whole records, fits, and is as long as can be', () => {
    fc.assert(
      fc.property(made, (given) => {
        const w = build(given)
        const waiting = w.records.filter(({ isBusy, items }) => !isBusy && items[0])
        const batch = next(w, given.maxBytes)
        const records = [...new Set(batch.map(({ record }) => record))]
        expect(records).toEqual(waiting.slice(0, records.length))
        expect(batch).toEqual(records.flatMap(({ items }) => items))
        expect(new Set(records.map(({ kind }) => kind)).size).toBeLessThanOrEqual(1)
        if (records.length > 1) expect(sizeOf(batch)).toBeLessThanOrEqual(given.maxBytes)
        const after = waiting[records.length]
        if (after && after.kind === records[0]!.kind)
          expect(sizeOf([...batch, ...after.items])).toBeGreaterThan(given.maxBytes)
        expect(records.length > 0).toBe(waiting.length > 0)
      }),
      { numRuns: 1000 },
    )
  })

  it('on its way takes nothing more', () => {
    const w = openQueue(createWorld())
    put(w, 'track', { id: '', body: '"A"' })
    const batch = next(w, 1000)
    mark(w, batch, true)
    put(w, 'track', { id: '', body: '"B"' })
    expect(bodies(next(w, 1000))).toEqual(['"B"'])
    finish(w, batch, accepted)
    expect(bodies(all(w))).toEqual(['"B"'])
  })

  it('after batch carries everything, in order, with nothing left', () => {
    fc.assert(
      fc.property(made, (given) => {
        const w = build({ ...given, busy: [] })
        const before = all(w)
        const sent: Payload[] = []
        for (let batch; (batch = next(w, given.maxBytes))[0]; finish(w, batch, accepted)) sent.push(...batch)
        expect(sent).toEqual(before)
        expect([w.queuedCount, w.queuedBytes]).toEqual([0, 0])
      }),
    )
  })
})

describe('a page that has slept', () => {
  /** A page that has stored an event record a task for ten seconds, and another that has claimed the second of three. */
  const sleep = async () => {
    const world = createWorld()
    const w = openQueue(world, {}, 'q')
    for (const body of ['"A"', '"B"', '"C"']) {
      put(w, 'track', { id: '', body })
      await world.settle()
      world.setClock(world.now() + 1000)
    }
    await w.database!.transact('put', (store) => store.delete(w.records[1]!.key))
    world.setClock(world.now() + 7000)
    put(w, 'track', { id: '', body: '"young"' })
    await world.settle()
    return { world, w }
  }

  it('forgets what another page has claimed meanwhile, and no more', async () => {
    const { w } = await sleep()
    const batch = next(w, 1e6)
    expect(bodies(batch)).toEqual(['"A"', '"B"', '"C"', '"young"'])
    await forgetClaimed(w, batch)
    expect(bodies(all(w))).toEqual(['"A"', '"C"', '"young"'])
    expect(w.queuedCount).toBe(3)
  })

  it('takes everything for its own where the disk does not say', async () => {
    const { w } = await sleep()
    w.database = undefined
    await forgetClaimed(w, next(w, 1e6))
    expect(all(w)).toHaveLength(4)
  })

  it('does not put on disk again what it forgot', async () => {
    const { world, w } = await sleep()
    await forgetClaimed(w, next(w, 1e6))
    await world.settle()
    expect(await readKeys(w)).toHaveLength(3)
  })
})

describe('a queue that is given up', () => {
  it('leaves to the next page what is on disk, and takes the rest along under its new name', async () => {
    const world = createWorld()
    const w = openQueue(world, {}, 'q')
    const outcomes: string[] = []
    const receipt = { settle: ({ status }: { status: string }) => outcomes.push(status) } as never
    put(w, 'track', { id: '', body: '"stored"', receipt })
    await world.settle()
    put(w, 'track', { id: '', body: '"not yet"', receipt })
    mark(w, all(w), true)
    const before = w.queueId
    giveUp(w, 'new')
    expect(outcomes).toEqual(['queued'])
    expect(bodies(next(w, 1e6))).toEqual(['"not yet"'])
    await world.settle()
    expect((await readKeys(w))!.map(([queue]) => queue).toSorted()).toEqual([before, 'new'].toSorted())
  })

  it('has a delete that failed made again, under the key that it had', async () => {
    const world = createWorld()
    const w = openQueue(world, {}, 'q')
    put(w, 'track', { id: '', body: '"left"' })
    await world.settle()
    put(w, 'track', { id: '', body: '"sent"' })
    await world.settle()
    const { transact } = w.database!
    w.database!.transact = () => Promise.reject(new DOMException('lost', 'UnknownError'))
    finish(w, all(w).slice(1), { status: 'accepted' })
    await world.settle()
    w.database!.transact = transact
    giveUp(w, 'new')
    world.setClock(world.now() + 60_000)
    put(w, 'track', { id: '', body: '"later"' })
    await world.settle()
    const keys = await readKeys(w)
    expect(keys!.filter(([queue]) => queue === 'new')).toHaveLength(1)
    expect(keys).toHaveLength(2)
  })

  it('is not deleted by a put of a record without those of its payloads that were sent, which fails then', async () => {
    const world = createWorld()
    const w = openQueue(world, {}, 'q')
    put(w, 'track', { id: '', body: '"sent"' })
    put(w, 'track', { id: '', body: '"left"' })
    await world.settle()
    const { transact } = w.database!
    w.database!.transact = async (_, work) => {
      work({ put() {}, delete() {} } as never, () => {})
      return Promise.reject(new DOMException('lost', 'UnknownError'))
    }
    finish(w, all(w).slice(0, 1), { status: 'accepted' })
    await Promise.resolve()
    w.database!.transact = transact
    giveUp(w, 'new')
    await world.settle()
    // It does without the database for a while.
    world.setClock(world.now() + 60_000)
    put(w, 'track', { id: '', body: '"later"' })
    await world.settle()
    expect(await readKeys(w)).toHaveLength(2)
  })
})

it('stores what one task tracked as one record', async () => {
  const world = createWorld()
  const waymark = world.openTab().init()
  await waymark.ready()
  for (let n = 0; n < 15; n++) waymark.track(`E${n}`)
  await world.settle()
  expect((await readRecords()).map((key) => (key as unknown[])[2])).toEqual([15])
})

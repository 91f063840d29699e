import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { Applier } from '../../src/wal/Applier.js'
import { Attempt, type ApplierOptions } from '../../src/wal/Attempt.js'
import { RecentDeadLetters } from '../../src/wal/rejected.js'
import { lastOf, type LogEntry, restOf } from '../../src/wal/segment.js'
import { eventually } from '../fixtures/eventually.js'

const outOfMemory = () => new Error('Out of Memory Error: failed to allocate')
const outOfRoom = () =>
  new Error(
    "Out of Memory Error: failed to offload data block (0 bytes/0 bytes used).\nThis limit was set by the 'max_temp_directory_size' setting.",
  )

/** Requests of so many rows each, where a row is a text of so many bytes. */
const requests = (count: number, rows: number, bytes: number): LogEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    kind: 'track',
    first: n * rows + 1,
    count: rows,
    receivedAtMs: 0,
    body: Buffer.from(
      JSON.stringify(Array.from({ length: rows }, (__, at) => String(n * rows + at + 1).padEnd(bytes))),
    ),
  }))

const rowsIn = (entries: readonly LogEntry[]): number[] =>
  entries.flatMap(({ body }) => (JSON.parse(body.toString()) as string[]).map(Number))

interface Memory {
  /** How many bytes of bodies fit. */
  fits: number
  /** Whether a row fits at all. */
  takes?(row: number): boolean
}

/** A store with so much memory, and what becomes of what is in the log. */
const createFake = (entries: readonly LogEntry[], memory: Memory, more: Partial<ApplierOptions> = {}) => {
  const stored: number[] = []
  const aside: [row: number, reason: string][] = []
  const tries: number[] = []
  const told: (string | undefined)[] = []
  const last = lastOf(entries.at(-1)!)
  const applier = new Applier({
    log: {
      read: (after) => Promise.resolve(entries.flatMap((each) => restOf(each, after))),
      last,
    },
    applied: 0,
    deadLetters: new RecentDeadLetters(),
    memoryBytes: 2 ** 30,
    apply: (run) => {
      const bytes = run.reduce((sum, { body }) => sum + body.length, 0)
      tries.push(bytes)
      const rows = rowsIn(run)
      if (bytes > memory.fits || rows.some((row) => memory.takes?.(row) === false))
        return Promise.reject(outOfMemory())
      stored.push(...rows)
      return Promise.resolve()
    },
    setAside: (run, _, reason) => {
      aside.push(...rowsIn(run).map((row): [number, string] => [row, reason]))
      return Promise.resolve()
    },
    isTransient: () => true,
    attempt: new Attempt(''),
    alone: (work) =>
      work(true).then(
        () => ({ error: undefined, wasFree: true, wasAlone: true }),
        (error: unknown) => ({ error, wasFree: true, wasAlone: true }),
      ),
    among: (work) => work(),
    logger: new Logger('silent'),
    onApplied: () => undefined,
    onSetAside: () => undefined,
    onStoring: (failing) => told.push(failing),
    ...more,
  })
  return { applier, stored, aside, tries, told, last }
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

describe('where a batch needs more memory than there is', () => {
  it('halves it until it fits, and stores every row once and in order', async () => {
    const { applier, stored, aside, last } = createFake(requests(64, 1, 1000), { fits: 5000 })
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect(stored).toEqual(upTo(last))
    expect(aside).toEqual([])
  })

  it('cuts a request of many rows', async () => {
    const { applier, stored, aside, last } = createFake(requests(2, 100, 1000), { fits: 5000 })
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect(stored).toEqual(upTo(last))
    expect(aside).toEqual([])
  })

  it('goes back to larger ones by and by', async () => {
    const memory = { fits: 5000 }
    const { applier, tries, last } = createFake(requests(600, 1, 1000), memory, {})
    applier.wake()
    await applier.reached(50, 240_000)
    memory.fits = Infinity
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect(Math.max(...tries.slice(5))).toBeGreaterThan(20_000)
  })

  it('sets a row aside that alone does not fit, says why, and stores its neighbours', async () => {
    const takes = (row: number) => row !== 37 && row !== 38
    const { applier, stored, aside, last } = createFake(requests(10, 10, 100), { fits: Infinity, takes })
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect(stored).toEqual(upTo(last).filter(takes))
    const reason = 'Storing it takes more memory than DuckDB may have (--memory-limit, 1024 MiB).'
    expect(aside).toEqual([
      [37, reason],
      [38, reason],
    ])
    expect(applier.deadLetter(40)).toEqual({ request: 40, rows: 2, reason })
  })

  it('tells that storing fails, and that it goes on', async () => {
    const { applier, told, last } = createFake(requests(4, 1, 1000), { fits: 2500 })
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    await applier.stop()
    expect(told).toEqual([expect.stringContaining('--memory-limit'), undefined])
  })
})

describe('a row that does not fit while others hold memory', () => {
  it('is stored once they have let go of it', async () => {
    const memory = { fits: 0 }
    const { applier, stored, aside, last } = createFake(requests(3, 1, 100), memory, {
      // Queries are cancelled by this.
      alone: async (work) => {
        memory.fits = Infinity
        await work(true)
        return { error: undefined, wasFree: true, wasAlone: true }
      },
    })
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect([stored, aside]).toEqual([[1, 2, 3], []])
  })

  it('is not set aside when it fits the second time that it is tried alone', async () => {
    let failures = 2
    const { applier, stored, aside, last } = createFake(
      requests(1, 1, 100),
      { fits: Infinity },
      {
        apply(run) {
          if (failures-- > 0) return Promise.reject(outOfMemory())
          stored.push(...rowsIn(run))
          return Promise.resolve()
        },
      },
    )
    applier.wake()
    expect(await applier.reached(last, 10_000)).toBe(true)
    expect([stored, aside]).toEqual([[1], []])
  })

  it('is not set aside, and it is told how often that was so', async () => {
    const memory = { fits: 0 }
    const starved: number[] = []
    const { applier, stored, aside, last } = createFake(requests(3, 1, 100), memory, {
      alone: (work) =>
        work(true).then(
          () => ({ error: undefined, wasFree: false, wasAlone: true }),
          (error: unknown) => ({ error, wasFree: false, wasAlone: true }),
        ),
      onStarved(failures) {
        starved.push(failures)
        if (failures === 3) memory.fits = Infinity
      },
    })
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect(starved).toEqual([1, 2, 3])
    expect([stored, aside]).toEqual([[1, 2, 3], []])
  })

  it('is not set aside where it is the disk that takes no more memory', async () => {
    let failures = 3
    const { applier, stored, aside, last } = createFake(
      requests(2, 1, 100),
      { fits: Infinity },
      {
        apply: (run) => {
          if (failures-- > 0) return Promise.reject(outOfRoom())
          stored.push(...rowsIn(run))
          return Promise.resolve()
        },
      },
    )
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect([stored, aside]).toEqual([[1, 2], []])
  })
})

describe('after an engine that ended while it stored', () => {
  const attemptAt = (ends: number, bytes: number): ApplierOptions['attempt'] => ({
    unfinishedAt: (applied) => (applied === 0 ? bytes : undefined),
    isRowAt: (applied) => applied === 0 && ends > 0,
    endsAt: (applied) => (applied === 0 ? ends : 0),
    note: () => undefined,
    clear: () => undefined,
  })

  it('begins with less than that one had', async () => {
    const { applier, stored, tries, last } = createFake(
      requests(64, 1, 1000),
      { fits: Infinity },
      {
        attempt: attemptAt(0, 32_000),
      },
    )
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect(tries[0]).toBeLessThanOrEqual(4000)
    expect(stored).toEqual(upTo(last))
  })

  it('sets the row aside at which engines ended again and again', async () => {
    const { applier, stored, aside, last } = createFake(
      requests(3, 1, 100),
      { fits: Infinity },
      {
        attempt: attemptAt(4, 100),
      },
    )
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect(stored).toEqual([2, 3])
    expect(aside).toEqual([[1, 'The engine ended 4 times while it stored this row alone.']])
  })

  it('waits for memory, however many engines were starved, while anything else is under way', async () => {
    let tries = 0
    const { applier, stored, aside, last } = createFake(
      requests(1, 1, 100),
      { fits: Infinity, takes: () => tries > 4 },
      {
        attempt: attemptAt(3, 100),
        alone: (work) =>
          work(false).then(
            () => ({ error: undefined, wasFree: false, wasAlone: false }),
            (error: unknown) => {
              tries++
              return { error, wasFree: false, wasAlone: false }
            },
          ),
      },
    )
    applier.wake()
    expect(await applier.reached(last, 10_000)).toBe(true)
    expect([stored, aside]).toEqual([[1], []])
  })

  it('no longer waits for memory for a row that starved two engines', async () => {
    const { applier, stored, aside, last } = createFake(
      requests(3, 1, 100),
      { fits: Infinity, takes: (row) => row !== 1 },
      {
        attempt: attemptAt(2, 100),
        alone: (work) =>
          work(true).then(
            () => ({ error: undefined, wasFree: false, wasAlone: true }),
            (error: unknown) => ({ error, wasFree: false, wasAlone: true }),
          ),
      },
    )
    applier.wake()
    expect(await applier.reached(last, 240_000)).toBe(true)
    expect([stored, aside.map(([row]) => row)]).toEqual([[2, 3], [1]])
  })
})

it('no number of engines that end on a full disk makes a healthy row one that is set aside', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-attempts-'))
  const file = join(folder, 'a.attempt')
  for (const failure of [new Error('IO Error: Could not write file: No space left'), outOfRoom()]) {
    for (let engine = 0; engine < 8; engine++) {
      const attempt = new Attempt(file)
      let tries = 0
      const { applier, aside } = createFake(
        requests(1, 1, 100),
        { fits: Infinity },
        {
          attempt,
          apply() {
            tries++
            return Promise.reject(failure)
          },
        },
      )
      applier.wake()
      await eventually(() => expect(tries).toBeGreaterThan(1))
      await applier.stop()
      attempt.close()
      expect(aside).toEqual([])
    }
  }
  rmSync(folder, { recursive: true })
})

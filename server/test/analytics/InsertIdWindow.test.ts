import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-ids-'))
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

/** What DuckDB gives for the sample of its hash. */
const hash = 7n

const sorted = (ids: Iterable<bigint>) => BigUint64Array.from(ids).sort()
/** Spread over all 64 bits, with neighbours that differ in their lower half only. */
const idOf = (n: number) => BigInt.asUintN(64, BigInt(n >> 2) * 0x9e3779b97f4a7c15n) ^ BigInt(n & 3)

interface Batch {
  ids: bigint[]
  hours: number
  reopen: boolean
}

it('finds every id for as long as the window, over files, merges and openings, and no other', async () => {
  const windowMs = 15 * 24
  const batch = fc.record({
    ids: fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 12 }).map((ids) => ids.map(idOf)),
    hours: fc.integer({ min: 0, max: 40 }),
    reopen: fc.boolean(),
  })
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 60 }), async (batches: Batch[]) => {
      const options = { folder: join(folder, String(run++)), windowMs, runIds: 8 }
      let window = new InsertIdWindow(options)
      window.open(0, hash)
      const stored: (Batch & { through: number; atMs: number })[] = []
      const newest = new Map<bigint, number>()
      let atMs = 0
      for (const each of batches) {
        atMs += each.hours
        const through = stored.length + 1
        const ids = sorted(each.ids)
        const seen = new Set(window.seen(ids).map((at) => ids.at(at)!))
        for (const id of ids) {
          const before = newest.get(id)
          if (before === undefined) expect(seen.has(id)).toBe(false)
          else if (before >= atMs - windowMs) expect(seen.has(id)).toBe(true)
        }
        await window.add({ ids, through, atMs })
        stored.push({ ...each, through, atMs })
        for (const id of each.ids) newest.set(id, atMs)
        if (!each.reopen) continue
        await window.close()
        window = new InsertIdWindow(options)
        const after = window.open(through, hash)
        for (const { ids: again, ...at } of stored.filter((one) => one.through > after)) {
          await window.add({ ids: sorted(again), ...at })
        }
      }
      await window.close()
    }),
    { numRuns: 150 },
  )
})

const fill = async (window: InsertIdWindow, runs: number, perRun: number) => {
  for (let run = 0; run < runs; run++) {
    const ids = sorted(Array.from({ length: perRun }, (_, at) => idOf(run * perRun + at)))
    await window.add({ ids, through: run + 1, atMs: run })
  }
}

it('finds ids in files of many blocks, merged in several parts, and keeps at most 20 bytes of each on disk', async () => {
  const window = new InsertIdWindow({ folder, windowMs: 1000, runIds: 10_000 })
  window.open(0, hash)
  await fill(window, 20, 10_000)
  await window.close()
  expect(readdirSync(folder).length).toBeLessThan(20)
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  expect(bytes / 200_000).toBeLessThan(20)
  const again = new InsertIdWindow({ folder, windowMs: 1000, runIds: 10_000 })
  expect(again.open(20, hash)).toBe(20)
  expect(again.seen(sorted(Array.from({ length: 200_000 }, (_, n) => idOf(n))))).toHaveLength(200_000)
  expect(again.seen(sorted(Array.from({ length: 200_000 }, (_, n) => idOf(200_000 + n))))).toEqual([])
  await again.close()
})

it('finds the second of two in one batch, wherever it stands', () => {
  const window = new InsertIdWindow({ folder, windowMs: 10 })
  window.open(0, hash)
  expect(window.seen(sorted([5n, 7n, 5n, 0n, 0n]))).toEqual([1, 3])
})

it('gives up files of rows that DuckDB does not have, and what no longer joins them', async () => {
  // In so short a window no files are merged.
  const window = new InsertIdWindow({ folder, windowMs: 5, runIds: 10 })
  window.open(0, hash)
  await fill(window, 5, 10)
  await window.close()
  const older = new InsertIdWindow({ folder, windowMs: 5, runIds: 10 })
  expect(older.open(3, hash)).toBe(3)
  expect(older.seen(sorted([idOf(29), idOf(30)]))).toHaveLength(1)
  await older.close()
  rmSync(join(folder, '1-2.ids'))
  const torn = new InsertIdWindow({ folder, windowMs: 5, runIds: 10 })
  expect(torn.open(3, hash)).toBe(1)
  await torn.close()
  truncateSync(join(folder, '0-1.ids'), 40)
  const cut = new InsertIdWindow({ folder, windowMs: 5, runIds: 10 })
  expect(cut.open(3, hash)).toBe(0)
  await cut.close()
})

it('gives up files whose ids another hash made, and files from before they said so', async () => {
  const options = { folder, windowMs: 5, runIds: 10 }
  const window = new InsertIdWindow(options)
  window.open(0, hash)
  await fill(window, 3, 10)
  await window.close()
  const other = new InsertIdWindow(options)
  expect(other.open(3, hash + 1n)).toBe(0)
  expect(readdirSync(folder)).toEqual([])
  await fill(other, 3, 10)
  await other.close()
  const file = join(folder, '0-1.ids')
  const bytes = readFileSync(file)
  bytes.writeUInt32LE(0, 4)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 56)), 56)
  writeFileSync(file, bytes)
  const older = new InsertIdWindow(options)
  expect(older.open(3, hash + 1n)).toBe(3)
  expect(older.after).toBe(1)
  expect(readdirSync(folder)).toHaveLength(2)
  await older.close()
})

it('keeps files when a row came while the clock was ahead', async () => {
  const window = new InsertIdWindow({ folder, windowMs: 1e6, runIds: 10 })
  window.open(0, hash)
  const now = Date.now()
  for (const [run, atMs] of [now, now + 1e9, now].entries()) {
    const ids = sorted(Array.from({ length: 10 }, (_, at) => idOf(10 * run + at)))
    await window.add({ ids, through: run + 1, atMs })
  }
  expect(window.seen(sorted([idOf(0), idOf(10), idOf(20)]))).toHaveLength(3)
  await window.close()
})

it('forgets files whose rows are all older than the window', async () => {
  const window = new InsertIdWindow({ folder, windowMs: 3, runIds: 10 })
  window.open(0, hash)
  await fill(window, 9, 10)
  await window.close()
  expect(readdirSync(folder).toSorted()).toEqual(['5-6.ids', '6-7.ids', '7-8.ids', '8-9.ids'])
})

it('goes on when files cannot be merged, as on a full disk, and tries again', async () => {
  const window = new InsertIdWindow({ folder, windowMs: 20, runIds: 10 })
  window.open(0, hash)
  // No file can be written under this name.
  const inTheWay = join(folder, '0-4.ids.new')
  mkdirSync(inTheWay)
  await fill(window, 9, 10)
  expect(window.seen(sorted([idOf(0), idOf(89), idOf(90)]))).toHaveLength(2)
  await window.close()
  const names = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ids'))
      .toSorted()
  expect(names()).toHaveLength(9)
  rmSync(inTheWay, { recursive: true })
  const again = new InsertIdWindow({ folder, windowMs: 20, runIds: 10 })
  expect(again.open(9, hash)).toBe(9)
  expect(again.seen(sorted([idOf(0), idOf(89), idOf(90)]))).toHaveLength(2)
  await again.add({ ids: sorted([idOf(90)]), through: 10, atMs: 9 })
  await again.save()
  await again.close()
  // The oldest first, so that none is left alone between larger ones.
  expect(names()).toEqual(['0-4.ids', '4-8.ids', '8-9.ids', '9-10.ids'])
})

it('makes one file of four of one size, and of four of those again', async () => {
  const window = new InsertIdWindow({ folder, windowMs: 1000, runIds: 500 })
  window.open(0, hash)
  await fill(window, 85, 500)
  await window.close()
  expect(readdirSync(folder).toSorted()).toEqual(['0-64.ids', '64-80.ids', '80-84.ids', '84-85.ids'])
})

it('forgets no id and keeps no file because of a clock that was ahead for a moment', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const day = 86_400_000
  const noon = Date.UTC(2026, 0, 1, 12)
  const window = new InsertIdWindow({ folder, windowMs: 5 * day, runIds: 4 })
  window.open(0, hash)
  const idsOf = (days: number) => sorted([0, 1, 2, 3].map((n) => idOf(4 * days + n)))
  /** Each day fills a file; its last id may come while the clock is wrong. */
  const live = async (days: number, aheadMs = 0) => {
    const [first, last] = [idsOf(days).slice(0, 3), idsOf(days).slice(3)]
    await window.add({ ids: first, through: 2 * days + 1, atMs: noon + days * day })
    vi.setSystemTime(noon + days * day + aheadMs)
    await window.add({ ids: last, through: 2 * days + 2, atMs: Date.now() })
    vi.setSystemTime(noon + days * day)
  }
  for (let days = 0; days < 4; days++) await live(days, days === 3 ? 400 * day : 0)
  for (let days = 0; days < 4; days++) expect(window.seen(idsOf(days))).toHaveLength(4)
  for (let days = 4; days < 20; days++) await live(days)
  expect(readdirSync(folder).length).toBeLessThan(10)
  expect(window.seen(idsOf(5))).toEqual([])
  expect(window.seen(idsOf(16))).toHaveLength(4)
  await window.close()
})

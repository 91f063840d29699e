import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { applyAnalytics } from '../../src/analytics/applyAnalytics.js'
import { fillWindow } from '../../src/analytics/fillWindow.js'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import { inTransaction } from '../../src/duckdb/transactions.js'
import type { LogEntry } from '../../src/wal/segment.js'
import { rounds } from '../fixtures/share.js'

const dayMs = 86_400_000
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-ids-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A catalog in memory and its window; `restart` loses what a kill loses, and may be an upgrade that hashes differently. */
const open = async (windowDays: number) => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("ATTACH ':memory:' AS analytics")
  await openAnalytics(connection)
  await connection.run('INSERT INTO analytics.raw.position VALUES (0)')
  const start = async () => {
    const window = new InsertIdWindow({ folder, windowMs: windowDays * dayMs, runIds: 4 })
    await fillWindow(connection, window)
    return { window, apply: applyAnalytics({ window }) }
  }
  let { window, apply } = await start()
  let last = 0
  let hashes = 0
  return {
    /** Fails after the rows were written, as many times as asked, before it succeeds. */
    async store(ids: readonly string[], day: number, failures = 0) {
      const payloads = ids.map((insert_id) => ({
        environment: 'production',
        event: 'seen',
        properties: { insert_id },
      }))
      const entry: LogEntry = {
        kind: 'track',
        first: last + 1,
        count: ids.length,
        receivedAtMs: 1e12 + day * dayMs,
        body: Buffer.from(JSON.stringify(payloads)),
      }
      for (let left = failures; ; left--) {
        try {
          const finish = await inTransaction(connection, async () => {
            const after = await apply(connection, [entry])
            await connection.run(`UPDATE analytics.raw.position SET applied = ${last + ids.length}`)
            if (left > 0) throw new Error('conflict')
            return after
          })
          last += ids.length
          return await finish()
        } catch (error) {
          if (left === 0) throw error
        }
      }
    },
    async restart(otherHash = false) {
      await window.close()
      if (otherHash) {
        const mixed = (values: string) =>
          `(${values}) AS xor(system.main.hash(${values}), ${hashes}::UBIGINT)`
        hashes++
        await connection.run(
          `CREATE OR REPLACE MACRO hash ${mixed('a')}, ${mixed('a, b')}, ${mixed('a, b, c')}`,
        )
        await openAnalytics(connection)
      }
      ;({ window, apply } = await start())
    },
    async count() {
      const reader = await connection.runAndReadAll(
        'SELECT insert_id, count(*)::INT FROM analytics.raw.events GROUP BY ALL',
      )
      return new Map(reader.getRows() as [string, number][])
    },
    async close() {
      await window.close()
      instance.closeSync()
    },
  }
}

it('stores no id twice within the window, through failures, restarts and hashes', async () => {
  const ids = fc.array(
    fc.integer({ min: 0, max: 25 }).map((n) => `id-${n}`),
    { minLength: 1, maxLength: 9 },
  )
  const step = fc.record({
    ids,
    failures: fc.constantFrom(0, 0, 1),
    restart: fc.boolean(),
    loseFiles: fc.boolean(),
    otherHash: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const store = await open(15)
      const sent = new Set<string>()
      // The first and the last are 13 days apart.
      for (const [at, each] of steps.entries()) {
        await store.store(each.ids, (13 * at) / (steps.length - 1), each.failures)
        for (const id of each.ids) sent.add(id)
        if (!each.restart) continue
        if (each.loseFiles) for (const name of readdirSync(folder)) rmSync(join(folder, name))
        await store.restart(each.otherHash)
      }
      expect(await store.count()).toEqual(new Map([...sent].map((id) => [id, 1])))
      await store.close()
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
    }),
    { numRuns: rounds(8), endOnFailure: true },
  )
})

it('knows second copies when DuckDB hashes differently than it did, and again when it does as before', async () => {
  const store = await open(15)
  const ids = ['a', 'b', 'c', 'd', 'e', 'an id of more than twelve characters']
  await store.store(ids, 0)
  const files = readdirSync(folder)
  expect(files).not.toEqual([])
  await store.restart(true)
  await store.store([...ids, 'new'], 1)
  await store.restart(true)
  await store.store([...ids, 'new'], 2)
  expect(await store.count()).toEqual(new Map([...ids, 'new'].map((id) => [id, 1])))
  await store.close()
})

it('knows second copies of ids whose file is damaged while it is in use', async () => {
  const store = await open(15)
  const ids = ['a', 'b', 'c', 'd', 'e']
  await store.store(ids, 0)
  const file = join(folder, readdirSync(folder).at(0)!)
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 12) ^ 4, bytes.length - 12)
  writeFileSync(file, bytes)
  await store.store([...ids, 'new'], 1)
  await store.store([...ids, 'new'], 2)
  expect(await store.count()).toEqual(new Map([...ids, 'new'].map((id) => [id, 1])))
  await store.close()
})

it('knows second copies of what came while the clock was wrong for a moment, before and after', async () => {
  const store = await open(15)
  const today = (Date.now() - 1e12) / dayMs
  await store.store(['before'], today - 0.1)
  await store.store(['ahead'], today + 400)
  await store.store(['behind'], today - 400)
  await store.store(['after'], today)
  // Without files all ids are read from the events again.
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  await store.restart()
  const all = ['before', 'ahead', 'behind', 'after']
  await store.store(all, today)
  expect(await store.count()).toEqual(new Map(all.map((id) => [id, 1])))
  await store.close()
})

it('forgets an id once the window has passed', async () => {
  const store = await open(2)
  await store.store(['old', 'a', 'b', 'c'], 0)
  for (let day = 1; day < 6; day++) await store.store([`d${day}`, `e${day}`, `f${day}`, `g${day}`], day)
  await store.store(['old', 'e5'], 6)
  const count = await store.count()
  expect([count.get('old'), count.get('e5')]).toEqual([2, 1])
  await store.close()
})

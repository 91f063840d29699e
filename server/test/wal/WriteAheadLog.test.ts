import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LogReader } from '../../src/wal/LogReader.js'
import { lastOf } from '../../src/wal/segment.js'
import { WriteAheadLog } from '../../src/wal/WriteAheadLog.js'
import { bodies, files, readAll, record, tiny } from './smallLog.js'
import { eventually } from '../fixtures/eventually.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-wal-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('gives what is left of a request of which a part was stored', async () => {
  const log = await WriteAheadLog.open(root)
  await log.append({ ...record('[{"n":1.0}, {"n":2},{"n":3}]', 3), target: 't' })
  await log.append(record('[4]'))
  const shared = { ...record(''), target: 't', request: { first: 1, last: 3 } }
  expect(await readAll(root, log.last, 1)).toEqual([
    { ...shared, first: 2, count: 2, body: Buffer.from('[ {"n":2},{"n":3}]') },
    { ...record('[4]'), first: 4 },
  ])
  await log.close()
})

it('holds what came while another write was on its way, in order and byte for byte', async () => {
  const log = await WriteAheadLog.open(root)
  const appended = []
  for (let at = 0; at < 60; at++) {
    appended.push(log.append({ ...record(`é${at}`, 2), target: 'a b' }))
    // Some in one turn of the event loop, some while those before are being written.
    if (at % 7 === 0) await new Promise(setImmediate)
  }
  expect(await Promise.all(appended)).toEqual(Array.from({ length: 60 }, (_, at) => 2 * at + 2))
  const entries = await readAll(root, log.last)
  expect(entries).toEqual(
    Array.from({ length: 60 }, (_, at) => ({ ...record(`é${at}`, 2), target: 'a b', first: 2 * at + 1 })),
  )
  expect(log.last).toBe(120)
  await log.close()
})

it('gives back what it took, however it was cut into writes, segments, openings, reads and trims', async () => {
  const step = fc.record({
    sizes: fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 5 }),
    reopen: fc.boolean(),
    trim: fc.boolean(),
  })
  const kinds = ['track', 'identify']
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(1000, Infinity),
      async (steps, maxRows, maxBytes) => {
        const folder = join(root, String(run++))
        let log = await WriteAheadLog.open(folder, 0, tiny)
        const reader = new LogReader(folder, () => log.durable)
        const expected: string[] = []
        const found: string[] = []
        let [after, sent] = [0, 0]
        const take = async () => {
          const entries = await reader.read(after, maxRows, maxBytes)
          found.push(...entries.flatMap(({ body }) => JSON.parse(body.toString()) as string[]))
          after = lastOf(entries.at(-1)!)
          const rows = kinds.map((kind) =>
            entries.reduce((sum, entry) => sum + (entry.kind === kind ? entry.count : 0), 0),
          )
          expect(Math.max(...rows)).toBeLessThanOrEqual(maxRows)
          if (maxBytes === Infinity && after < log.durable) expect(rows).toContain(maxRows)
        }
        for (const { sizes, reopen, trim } of steps) {
          for (const [at, size] of sizes.entries()) {
            const rows = Array.from({ length: 1 + (at % 3) }, () => `${sent++}:${'x'.repeat(size)}`)
            const appended = log.append({
              ...record(JSON.stringify(rows), rows.length),
              kind: kinds[at % 2] ?? '',
            })
            if (at === sizes.length - 1) await appended
            expected.push(...rows)
          }
          if (reopen) {
            await log.close()
            log = await WriteAheadLog.open(folder, 0, tiny)
          }
          await take()
          if (trim) await log.trim(after)
          expect(log.before).toBeLessThanOrEqual(after)
        }
        while (after < log.last) await take()
        expect(found).toEqual(expected)
        await reader.close()
        await log.close()
      },
    ),
    { numRuns: 25 },
  )
})

it('is read from any row on, also from within a write', async () => {
  const log = await WriteAheadLog.open(root, 0, tiny)
  for (let at = 0; at < 6; at++)
    await Promise.all([log.append(record(`${at}a`, 2)), log.append(record(`${at}b`.padEnd(90)))])
  for (let after = 0; after < 18; after++) {
    const entries = await readAll(root, 18, after)
    expect(entries[0]?.first).toBeGreaterThan(after)
    expect(entries.at(0)!.first - after).toBeLessThanOrEqual(2)
  }
  await log.close()
})

it('counts the bytes that wait, also those that it held when it was opened', async () => {
  const first = await WriteAheadLog.open(root)
  await first.append(record('seven b'))
  await first.append(record('waits', 3))
  expect(first.bytes).toBe(12)
  await first.close()
  const again = await WriteAheadLog.open(root)
  expect(again.bytes).toBe(12)
  expect(again.last).toBe(4)
  await again.trim(1)
  expect(again.bytes).toBe(5)
  await again.append(record('new'))
  expect(again.bytes).toBe(8)
  await again.close()
})

it('uses trimmed segments again, and never takes what they held for its own', async () => {
  const log = await WriteAheadLog.open(root, 0, { smallest: 400, largest: 400 })
  for (let at = 1; at <= 60; at++) {
    expect(await log.append(record(`${at}`.padEnd(100)))).toBe(at)
    await log.trim(at)
  }
  expect(files(root).length).toBeLessThanOrEqual(3)
  const { before } = log
  await log.close()
  // The one that was to come next was a segment before, and was not filled with zeros once more.
  const next = readFileSync(join(root, files(root).toSorted().at(-1) ?? ''))
  expect(next.includes('     ')).toBe(true)
  const again = await WriteAheadLog.open(root, 0, tiny)
  expect(again.last).toBe(60)
  expect(again.before).toBe(before)
  expect((await bodies(root, 60, 59)).join()).toBe('60'.padEnd(100))
  await expect(readAll(root, 60, 0)).rejects.toThrow('no longer holds row 1')
  await again.close()
})

it('refuses what the disk does not take, and accepts again once it does', async () => {
  const log = await WriteAheadLog.open(root, 0, { smallest: 400, largest: 400 })
  const kept = await log.append(record('kept'))
  await log.append(record('x'.repeat(300)))
  // The file of the next segment is made meanwhile.
  await eventually(() => expect(readdirSync(root)).not.toContain('new'))
  // A folder in the place of the file that is to be filled stands for a full disk.
  mkdirSync(join(root, 'new'))
  const outcomes = []
  for (let at = 0; at < 6; at++)
    outcomes.push(await log.append(record('y'.repeat(300))).catch(() => 'refused'))
  expect(outcomes).toContain('refused')
  expect(log.last).toBe(outcomes.filter((each) => each !== 'refused').length + kept + 1)
  rmSync(join(root, 'new'), { recursive: true })
  await log.append(record('after'))
  expect((await bodies(root, log.last)).map((body) => body[0])).toEqual([
    'k',
    'x',
    ...outcomes.filter((each) => each !== 'refused').map(() => 'y'),
    'a',
  ])
  await log.close()
})

it('says that a record is on disk only when it can be read', async () => {
  const log = await WriteAheadLog.open(root)
  const last = await log.append(record('one'))
  expect(await bodies(root, last)).toEqual(['one'])
  await log.close()
})

it('reads no row that is not known to be on disk', async () => {
  const log = await WriteAheadLog.open(root)
  await log.append(record('one', 10))
  await log.append(record('two', 10))
  expect(await bodies(root, 0)).toEqual([])
  expect(await bodies(root, 15)).toEqual(['one'])
  expect(await bodies(root, 20)).toEqual(['one', 'two'])
  await log.close()
})

it('goes on behind rows that it never had', async () => {
  const log = await WriteAheadLog.open(root, 0, tiny)
  await log.append(record('one'))
  log.skipTo(7)
  expect(await log.append(record('eight'))).toBe(8)
  for (let at = 9; at < 20; at++) expect(await log.append(record('x'.repeat(90)))).toBe(at)
  await log.close()
  const again = await WriteAheadLog.open(root, 0, tiny)
  expect((await readAll(root, again.last, 7)).map(({ first }) => first)).toEqual(
    Array.from({ length: 12 }, (_, at) => at + 8),
  )
  await again.close()
})

describe('a seal', () => {
  const bytesOf = (folder: string) =>
    Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name)))).toString('latin1')

  it('leaves no byte of what came before it once that is applied, whatever was kept to be used again', async () => {
    const log = await WriteAheadLog.open(root, 0, tiny)
    // So many segments that some have been used before, and one waits to be used again.
    for (let at = 0; at < 40; at++) {
      await log.append(record(`secret ${at} ${'x'.repeat(150)}`))
      if (at % 5 === 4) await log.trim(log.durable)
    }
    const [through, after] = await Promise.all([log.seal(), log.append(record('after'))])
    expect(bytesOf(root)).toContain('secret')
    expect([through, after]).toEqual([40, 41])
    await log.remove(through)
    expect(bytesOf(root)).not.toContain('secret')
    expect(await bodies(root, log.last, 40)).toEqual(['after'])
    await log.close()
  })

  it('counts for what an earlier process wrote, too', async () => {
    let log = await WriteAheadLog.open(root, 0, tiny)
    for (let at = 0; at < 9; at++) await log.append(record(`secret ${at} ${'x'.repeat(150)}`))
    await log.seal()
    await log.close()
    log = await WriteAheadLog.open(root, 0, tiny)
    await log.append(record('after'))
    await log.trim(9)
    expect(bytesOf(root)).not.toContain('secret')
    await log.close()
  })

  it('takes its turn among writes, and each is found on its side of it', async () => {
    const log = await WriteAheadLog.open(root, 0, tiny)
    const before = Array.from({ length: 20 }, (_, at) => log.append(record(`before ${at}`)))
    await Promise.all(before)
    const seals = [log.seal(), log.seal()]
    const behind = Array.from({ length: 20 }, (_, at) => log.append(record(`behind ${at}`)))
    expect(await Promise.all(seals)).toEqual([20, 20])
    await Promise.all(behind)
    await log.remove(20)
    expect(await bodies(root, log.last, 20)).toEqual(behind.map((_, at) => `behind ${at}`))
    await log.close()
  })
})

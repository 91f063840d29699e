import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LogReader } from '../../src/wal/LogReader.js'
import { LogStore } from '../../src/wal/LogStore.js'
import { WriteAheadLog, type LogRecord } from '../../src/wal/WriteAheadLog.js'

let folder: string
let logs: LogStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-log-'))
  logs = LogStore.open(folder)
})
afterEach(async () => {
  await logs.close()
  rmSync(folder, { recursive: true, force: true })
})

const openLog = () => logs.writer('test')
/** What the other process sees of it. */
const readerOf = (log: WriteAheadLog) => logs.reader('test', () => log.durable)
const record = (body: string, count = 1): LogRecord => ({
  kind: 'track',
  count,
  receivedAtMs: 5,
  body: Buffer.from(body),
})

it('holds what came while another write was on its way, in order and byte for byte', async () => {
  const log = openLog()
  const appended = []
  for (let at = 0; at < 60; at++) {
    appended.push(log.append(record(`é${at}`, 2)))
    // Some in one turn of the event loop, some while those before are being written.
    if (at % 7 === 0) await new Promise(setImmediate)
  }
  await Promise.all(appended.map(({ durable }) => durable))
  const entries = readerOf(log).read(0, 1000, 1_000_000)
  expect(entries.map(({ body }) => body.toString())).toEqual(Array.from({ length: 60 }, (_, at) => `é${at}`))
  expect(entries.map(({ first }) => first)).toEqual(Array.from({ length: 60 }, (_, at) => 2 * at + 1))
  expect(log.last).toBe(120)
})

it('says that a record is on disk only when it can be read', async () => {
  const log = openLog()
  const { last, durable } = log.append(record('one'))
  await durable
  expect(readerOf(log).read(last - 1, 10, 10)).toHaveLength(1)
})

it('fails a record whose write fails, and takes the next', async () => {
  const root = open<LogRecord, number>({ path: join(folder, 'failing') })
  const records = root.openDB<LogRecord, number>('records', {})
  const failing = Object.create(records, {
    put: {
      value: (key: number, value: LogRecord) =>
        value.body.toString() === 'bad' ? Promise.reject(new Error('disk')) : records.put(key, value),
    },
  }) as typeof records
  const log = new WriteAheadLog(failing, 0)
  await expect(log.append(record('bad')).durable).rejects.toThrow('disk')
  await log.append(record('good')).durable
  expect(
    new LogReader(records, () => log.durable).read(0, 10, 100).map(({ body }) => body.toString()),
  ).toEqual(['good'])
  await root.close()
})

it('counts the bytes that it holds, also after it was opened again', async () => {
  const first = openLog()
  await first.append(record('applied')).durable
  await first.append(record('waits', 3)).durable
  expect(first.bytes).toBe(12)
  await logs.prune('test', first, 1)
  expect(first.bytes).toBe(5)
  const again = openLog()
  expect(again.bytes).toBe(5)
  expect(again.last).toBe(4)
  await again.append(record('new')).durable
  expect(again.bytes).toBe(8)
})

it('goes on behind the last row when all of it is pruned and it is opened again', async () => {
  const log = openLog()
  await log.append(record('gone', 7)).durable
  await logs.prune('test', log, 7)
  const again = openLog()
  expect(again.bytes).toBe(0)
  const { last, durable } = again.append(record('next'))
  await durable
  expect(last).toBe(8)
})

it('goes on behind rows that only DuckDB knows', async () => {
  const log = openLog()
  log.skipTo(100)
  log.skipTo(50)
  const { last, durable } = log.append(record('next'))
  await durable
  expect(last).toBe(101)
  expect(readerOf(log).read(100, 10, 10)).toHaveLength(1)
})

it('reads up to its limits, but at least one, and forgets what is pruned', async () => {
  const log = openLog()
  for (const body of ['aaaa', 'bbbb', 'cccc']) await log.append(record(body, 10)).durable
  const reader = readerOf(log)
  expect(reader.read(0, 20, 100)).toHaveLength(2)
  expect(reader.read(0, 100, 9)).toHaveLength(2)
  expect(reader.read(0, 1, 1)).toHaveLength(1)
  await log.prune(20)
  expect(reader.read(0, 100, 100).map(({ first }) => first)).toEqual([21])
})

it('reads no row that is not known to be on disk', async () => {
  const log = openLog()
  await log.append(record('one', 10)).durable
  await log.append(record('two', 10)).durable
  const read = (durable: number) => logs.reader('test', () => durable).read(0, 100, 100)
  expect(read(0)).toEqual([])
  expect(read(15).map(({ first }) => first)).toEqual([1])
  expect(read(20).map(({ first }) => first)).toEqual([1, 11])
})

it('takes over what an earlier version kept in another store, once', async () => {
  const before = logs.writer('lakehouse')
  await before.append(record('pruned', 2)).durable
  await before.append(record('waits', 3)).durable
  await logs.prune('lakehouse', before, 2)
  const mine = LogStore.open(join(folder, 'mine'))
  await mine.adopt('lakehouse', logs)
  const log = mine.writer('lakehouse')
  expect(mine.prunedOf('lakehouse')).toBe(2)
  expect(log.last).toBe(5)
  await mine.prune('lakehouse', log, 5)
  await mine.adopt('lakehouse', logs)
  expect(mine.reader('lakehouse', () => 100).read(0, 10, 100)).toEqual([])
  await mine.close()
})

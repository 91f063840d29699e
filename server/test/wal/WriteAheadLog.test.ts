import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WriteAheadLog, type LogRecord } from '../../src/wal/WriteAheadLog.js'
import { LogStore } from '../../src/wal/LogStore.js'

let folder: string
let logs: LogStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-log-'))
  logs = await LogStore.open(folder)
})
afterEach(async () => {
  await logs.close()
  rmSync(folder, { recursive: true, force: true })
})

const openLog = (applied = 0) => logs.log('test', applied)
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
  const entries = log.read(0, 1000, 1_000_000)
  expect(entries.map(({ body }) => body.toString())).toEqual(Array.from({ length: 60 }, (_, at) => `é${at}`))
  expect(entries.map(({ first }) => first)).toEqual(Array.from({ length: 60 }, (_, at) => 2 * at + 1))
  expect(log.last).toBe(120)
})

it('says that a record is on disk only when it can be read', async () => {
  const log = openLog()
  const { last, durable } = log.append(record('one'))
  await durable
  expect(log.read(last - 1, 10, 10)).toHaveLength(1)
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
  expect(log.read(0, 10, 100).map(({ body }) => body.toString())).toEqual(['good'])
  await root.close()
})

it('counts the bytes that it held when it was opened, but for those applied', async () => {
  const first = openLog()
  await first.append(record('applied')).durable
  await first.append(record('waits', 3)).durable
  expect(first.bytes).toBe(12)
  const again = openLog(1)
  expect(again.bytes).toBe(5)
  expect(again.last).toBe(4)
  await again.append(record('new')).durable
  expect(again.bytes).toBe(8)
})

it('reads up to its limits, but at least one, and forgets what is pruned', async () => {
  const log = openLog()
  for (const body of ['aaaa', 'bbbb', 'cccc']) await log.append(record(body, 10)).durable
  expect(log.read(0, 20, 100)).toHaveLength(2)
  expect(log.read(0, 100, 9)).toHaveLength(2)
  expect(log.read(0, 1, 1)).toHaveLength(1)
  await log.prune(20)
  expect(log.read(0, 100, 100).map(({ first }) => first)).toEqual([21])
})

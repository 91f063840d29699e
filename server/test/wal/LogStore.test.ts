import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LogStore } from '../../src/wal/LogStore.js'
import type { LogRecord } from '../../src/wal/segment.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-logs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const record = (body: string, count = 1): LogRecord => ({
  kind: 'track',
  count,
  receivedAtMs: 5,
  body: Buffer.from(body),
})
const bodies = async (store: LogStore, catalog: string, after: number) => {
  const log = await store.writer(catalog)
  const exact = store.reader(catalog, () => log.durable)
  const entries = await exact.read(after, 100, 1000)
  await exact.close()
  await log.close()
  return entries.map(({ first, body, target }) => `${first} ${body.toString()}${target ?? ''}`)
}

it('keeps its secret, its numbers and its logs', async () => {
  const store = LogStore.open(folder)
  expect([store.numberOf('a'), store.numberOf('b'), store.numberOf('a')]).toEqual([0, 1, 0])
  const log = await store.writer('a')
  await log.append(record('one'))
  await log.close()
  const again = LogStore.open(folder)
  expect(again.taskSecret).toEqual(store.taskSecret)
  expect(again.numberOf('b')).toBe(1)
  expect(await bodies(again, 'a', 0)).toEqual(['1 one'])
})

it('is there to be read once it is made, and has all the catalogs asked for', async () => {
  expect(LogStore.openToRead(folder, [])).toBeUndefined()
  const store = LogStore.open(folder)
  store.numberOf('a')
  expect(LogStore.openToRead(folder, ['a'])?.isBegun('a')).toBe(false)
  await (await store.writer('a')).close()
  expect(LogStore.openToRead(folder, ['a', 'b'])).toBeUndefined()
  expect(LogStore.openToRead(folder, ['a'])?.isBegun('a')).toBe(true)
  expect(LogStore.openToRead(folder, ['a'])?.taskSecret).toEqual(store.taskSecret)
})

it('keeps what was read of a log in PostgreSQL, also when it is followed again', async () => {
  const store = LogStore.open(folder)
  expect(store.marks).toEqual([])
  store.follow({ id: 'id', secret: 'secret' })
  const marks = [3, 7].map((last) => ({ last, salt: Buffer.of(last, 0, 255) }))
  store.note(marks)
  const again = LogStore.open(folder)
  expect(again.marks).toEqual(marks)
  again.follow(again.followed!)
  expect(LogStore.open(folder).marks).toEqual(marks)
})

it('tells of a log that has gone', async () => {
  const store = LogStore.open(folder)
  await (await store.writer('a')).close()
  rmSync(join(folder, 'a'), { recursive: true })
  await expect(LogStore.open(folder).writer('a')).rejects.toThrow(/^The store is damaged: .* is missing/)
})

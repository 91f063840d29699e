import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SegmentFiles, segmentFile } from '../../src/wal/SegmentFiles.js'

const mebibyte = 2 ** 20

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-segments-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

it('fills a file with zeros that go to the disk little by little, so that no write of the log waits for all', async () => {
  const other = await open(join(folder, 'other'), 'w')
  const handles = Object.getPrototypeOf(other) as typeof other
  await other.close()
  const [writes, syncs] = [vi.spyOn(handles, 'write'), vi.spyOn(handles, 'datasync')]
  const files = new SegmentFiles(folder, { smallest: 5 * mebibyte, largest: 5 * mebibyte }, 0)
  expect(await files.make(1, 0)).toBe(5 * mebibyte)
  const order = [...writes.mock.invocationCallOrder, ...syncs.mock.invocationCallOrder].toSorted(
    (a, b) => a - b,
  )
  expect(order.map((call) => (syncs.mock.invocationCallOrder.includes(call) ? 'sync' : 'write'))).toEqual([
    'write',
    'sync',
    'write',
    'sync',
    'write',
    'sync',
  ])
  expect(readFileSync(segmentFile(folder, 1)).equals(Buffer.alloc(5 * mebibyte))).toBe(true)
})

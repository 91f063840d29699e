import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SegmentFiles, segmentFile, sizesFor } from '../../src/wal/SegmentFiles.js'

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

describe('on a small disk', () => {
  const total = 300 * mebibyte
  const withFree = (free: number) =>
    new SegmentFiles(folder, { smallest: mebibyte, largest: 8 * mebibyte }, 0, () =>
      Promise.resolve({ total, free }),
    )
  const head = { number: 1, salt: Buffer.alloc(8), bytes: 4 * mebibyte, before: 0 }

  it('makes a smaller file where the disk has no room for the one wanted', async () => {
    const files = withFree(18 * mebibyte)
    files.makeNext(head)
    expect(await files.make(2, 0)).toBe(2 * mebibyte)
  })

  it('leaves DuckDB the room to store what the log holds', async () => {
    const files = withFree(15 * mebibyte)
    files.makeNext(head)
    await expect(files.make(2, 0)).rejects.toThrow('The disk has no room for another file')
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes the file that an earlier process has made', async () => {
    const files = withFree(0)
    files.adopt(2, 3 * mebibyte)
    expect(await files.make(2, mebibyte)).toBe(3 * mebibyte)
    await expect(files.make(2, 4 * mebibyte)).rejects.toThrow('no room')
  })

  it('takes a tenth of it at most for the files that are written, made and kept', () => {
    expect(sizesFor({ total, free: 0 }).largest).toBe(4 * mebibyte)
    expect(sizesFor({ total: 2 ** 40, free: 0 }).largest).toBe(64 * mebibyte)
    expect(sizesFor({ total: 2 ** 20, free: 0 }).largest).toBe(mebibyte)
  })
})

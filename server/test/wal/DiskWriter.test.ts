import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DiskWriter } from '../../src/wal/WriteAheadLog.js'

let folder: string
let handle: FileHandle
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-disk-'))
  handle = await open(join(folder, 'file'), 'w')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await handle.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Digits written one after the other, each of which takes so long; gives how many were written aside. */
const writeAll = async (tookMs: readonly number[], writer = new DiskWriter()) => {
  let nowMs = 5000
  const aside = vi.spyOn(handle, 'write')
  const counts: number[] = []
  for (const [at, ms] of tookMs.entries()) {
    vi.spyOn(performance, 'now')
      .mockReturnValueOnce(nowMs)
      .mockImplementation(() => nowMs + ms)
    expect(await writer.write(handle, Buffer.from(String(at % 10)), at)).toBe(1)
    nowMs += ms
    counts.push(aside.mock.calls.length)
  }
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(tookMs.map((_, at) => at % 10).join(''))
  return counts
}

it('writes in this thread while the disk is quick', async () => {
  expect(await writeAll([0.2, 5, 0.2, 9])).toEqual([0, 0, 0, 0])
})

it('writes aside after a write that took long, for twenty times as long', async () => {
  expect(await writeAll([20, 200, 100, 99, 2, 0.2])).toEqual([0, 1, 2, 3, 4, 4])
})

it('tells of a disk that takes nothing, and of what it takes later', async () => {
  const closed = await open(join(folder, 'other'), 'w')
  await closed.close()
  const writer = new DiskWriter()
  await expect(writer.write(closed, Buffer.from('a'), 0)).rejects.toThrow()
  expect(await writer.write(handle, Buffer.from('a'), 0)).toBe(1)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createInstance } from '../../src/store/Database.js'
import type { DataFolder } from '../../src/store/DataFolder.js'

vi.mock(import('node:fs/promises'), async (original) => ({
  ...(await original()),
  statfs: vi.fn(() => Promise.resolve({ blocks: 2 ** 20, bavail: 2 ** 20, bsize: 1000 })) as never,
}))

it.each([
  // 0.9 × 2^20 × 1000 bytes.
  ['nine tenths of the free disk', undefined, '899.3 MiB'],
  ['what is free beyond the reserve', 1_000_000_000, '45.7 MiB'],
])('lets what queries put aside fill %s at most', async (_, minFreeDiskBytes, size) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-database-'))
  const instance = await createInstance({ path: folder, temp: join(folder, 'temp') } as DataFolder, {
    memoryLimit: '1GiB',
    threads: 1,
    minFreeDiskBytes,
  })
  const connection = await instance.connect()
  const answer = await connection.runAndReadAll(`SELECT current_setting('max_temp_directory_size')`)
  expect(answer.getRows()).toEqual([[size]])
  connection.closeSync()
  instance.closeSync()
  rmSync(folder, { recursive: true })
})

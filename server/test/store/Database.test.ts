import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createInstance } from '../../src/store/Database.js'
import type { DataFolder } from '../../src/store/DataFolder.js'

vi.mock(import('node:fs/promises'), async (original) => ({
  ...(await original()),
  statfs: vi.fn(() => Promise.resolve({ bavail: 2 ** 20, bsize: 1000 })) as never,
}))

it('lets what queries put aside fill nine tenths of the free disk at most', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-database-'))
  const instance = await createInstance({ path: folder, temp: join(folder, 'temp') } as DataFolder, {
    memoryLimit: '1GiB',
    threads: 1,
  })
  const connection = await instance.connect()
  const answer = await connection.runAndReadAll(`SELECT current_setting('max_temp_directory_size')`)
  // 0.9 × 2^20 × 1000 bytes.
  expect(answer.getRows()).toEqual([['899.3 MiB']])
  connection.closeSync()
  instance.closeSync()
  rmSync(folder, { recursive: true })
})

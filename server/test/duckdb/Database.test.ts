import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createInstance } from '../../src/duckdb/Database.js'
import type { DataFolder } from '../../src/disk/DataFolder.js'

beforeAll(() => {
  const disk = { blocks: 2 ** 20, bavail: 2 ** 20, bsize: 1000 }
  vi.spyOn(promises, 'statfs').mockResolvedValue(disk as never)
  syncBuiltinESMExports()
})
afterAll(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const open = async (folder: string, minFreeDiskBytes?: number) => {
  const instance = await createInstance({ path: folder, temp: join(folder, 'temp') } as DataFolder, {
    memoryLimit: '1GiB',
    threads: 1,
    minFreeDiskBytes,
  })
  const connection = await instance.connect()
  return {
    setting: async (name: string) => {
      const reader = await connection.runAndReadAll(`SELECT current_setting('${name}')`)
      return reader.getRows().flat()[0]
    },
    close() {
      connection.closeSync()
      instance.closeSync()
      rmSync(folder, { recursive: true })
    },
  }
}
const newFolder = () => mkdtempSync(join(tmpdir(), 'waymark-database-'))

it.each([
  // 0.9 × 2^20 × 1000 bytes.
  ['nine tenths of the free disk', undefined, '899.3 MiB'],
  ['what is free beyond the reserve', 1_000_000_000, '45.7 MiB'],
])('lets what queries put aside fill %s at most', async (_, minFreeDiskBytes, size) => {
  const { setting, close } = await open(newFolder(), minFreeDiskBytes)
  expect(await setting('max_temp_directory_size')).toBe(size)
  close()
})

it.each([
  ['moves its log into the file at 64 MB', 400_000_000, '61.0 MiB'],
  ['moves nothing where the disk may have too little room for what its logs hold', 500_000_000, '931.3 GiB'],
])('DuckDB %s', async (_, logBytes, size) => {
  const folder = newFolder()
  const log = join(folder, 'analytics.duckdb.wal')
  writeFileSync(log, '')
  // The disk has a GB free; a file without blocks takes none of it.
  truncateSync(log, logBytes)
  const { setting, close } = await open(folder)
  expect(await setting('wal_autocheckpoint')).toBe(size)
  close()
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LogStore } from '../../src/wal/LogStore.js'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-reader-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('gives the next rows however few bytes are asked for, and wherever it is to begin', async () => {
  const store = LogStore.open(folder)
  const log = await store.writer('a')
  for (let n = 1; n <= 5; n++) {
    const body = Buffer.from(JSON.stringify([`${n} a`, `${n} b`]))
    await log.append({ kind: 'track', count: 2, receivedAtMs: 5, body })
  }
  for (let after = 0; after < 10; after++) {
    const reader = store.reader('a', () => log.durable)
    const [next] = await reader.read(after, 100, 1)
    const rows: unknown = JSON.parse(String(next?.body))
    expect(next?.first).toBe(after + 1)
    expect(rows).toHaveLength(2 - (after % 2))
    await reader.close()
  }
  await log.close()
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startIngest } from '../src/startIngest.js'
import { event } from './fixtures/events.js'
import { eventually } from './fixtures/eventually.js'

it('stops while somebody waits for rows that no engine stores', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-ingest-'))
  const options = { port: 0, dataFolder: folder, apiKeys: ['key'], logLevel: 'silent' } as const
  const ingest = await startIngest({ ...options, syncWaitMs: 3_600_000, role: 'ingest' })
  try {
    const waiting = fetch(`${ingest.url}/track?apiKey=key&sync=true`, {
      method: 'POST',
      body: JSON.stringify(event('waits')),
    }).catch(() => 'closed')
    await eventually(async () => {
      const health = await fetch(`${ingest.url}/healthz`)
      expect(await health.json()).toMatchObject({ backlog_rows: 1 })
    })
    await ingest.stop()
    expect(await waiting).toBe('closed')
  } finally {
    await ingest.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

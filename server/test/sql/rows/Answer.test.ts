import { once } from 'node:events'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Answer } from '../../../src/sql/rows/Answer.js'
import { eventually } from '../../fixtures/eventually.js'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-answer-'))))
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

it('a Parquet file is not kept for a client that takes none of it for a minute', async () => {
  const file = join(folder, 'export')
  const bytes = 2 ** 26
  writeFileSync(file, '')
  truncateSync(file, bytes)
  const setTimeout = vi.spyOn(ServerResponse.prototype, 'setTimeout')
  const remove = vi.fn(() => Promise.resolve())
  const how = { escapesFormulas: false, isZipped: false }
  const form = { format: 'parquet', columns: 'labels', ...how } as const
  const head = { statement: '', page: {}, initTimeMs: 0, sessionId: '', queryId: '', workerSlug: '' }
  const server = createServer((_, response) => {
    sending = new Answer(response, form).sendFile({ file, bytes, remove }, head)
    sending.catch(() => undefined)
    expect(setTimeout.mock.calls[0]?.[0]).toBe(60_000)
    response.setTimeout(200)
  })
  let sending: Promise<void> | undefined
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  try {
    await eventually(() => expect(remove).toHaveBeenCalled())
    await expect(sending).rejects.toThrow()
  } finally {
    client.destroy()
    server.close()
  }
})

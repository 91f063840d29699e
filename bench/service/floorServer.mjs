// A second control: what parsing and the durable write cost without anything else.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WriteAheadLog } from '../../server/dist/wal/WriteAheadLog.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-floor-'))
const log = await WriteAheadLog.open(folder)

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const body = Buffer.concat(chunks)
    const events = JSON.parse(body.toString())
    await log.append({ kind: 'track', count: events.length, receivedAtMs: Date.now(), body })
    const text = JSON.stringify({ ok: true, task_id: null, count: events.length })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`ready at http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
})

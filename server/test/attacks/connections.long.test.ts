import { once } from 'node:events'
import { readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../fixtures/createClient.js'
import { basic } from '../fixtures/createService.js'
import { engineOf } from '../fixtures/engineOf.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let service: Spawned
let client: Client
let url: string
const sockets: Socket[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-connections-'))
  const flags = ['--port', '0', '--data', folder, '--api-keys', 'key', '--users', 'ada:lovelace']
  service = spawnService([...flags, '--memory-limit', '512MB', '--quiet'], { direct: true })
  url = urlIn(await service.ready)
  client = createClient(url)
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  service.kill('SIGKILL')
  await service.ended
  rmSync(folder, { recursive: true, force: true })
})

/** One address may have 1,000 connections, so the strangers come from three. */
const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
const statement = encodeURIComponent("SELECT repeat('x', 100) FROM range(3000000)")
const unread = `GET /query?format=jsonl&statement=${statement} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\n\r\n`
/** They say nothing, begin a request, or ask and read no answer (a socket without a listener for its data reads none). */
const strangers = [
  ...Array.from({ length: 1000 }, () => ''),
  ...Array.from({ length: 960 }, () => 'POST /track HTTP/1.1\r\nHost: x\r\n'),
  ...Array.from({ length: 40 }, () => unread),
]
const open = async (at: number): Promise<void> => {
  const localAddress = addresses[at % addresses.length]
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress })
  sockets[at] = socket
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  socket.write(strangers[at] ?? '')
}
/** The attack was once made for ten minutes: `ATTACK_MS=600000`. */
const attackMs = Number(process.env['ATTACK_MS'] ?? 20_000)

const residentMiB = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

it(
  '2,000 connections that say nothing or read no answer keep nobody out and fill no memory',
  { timeout: attackMs + 600_000 },
  async () => {
    await client.track(client.number(0), true)
    await eventually(async () => expect(await client.rows('SELECT 1')).toEqual([[1]]))
    const beganMs = performance.now()
    let sent = 1
    while (performance.now() - beganMs < attackMs) {
      // Who was hung up on comes again.
      const gone = [...strangers.keys()].filter((at) => sockets[at]?.closed ?? true)
      await Promise.all(gone.map(open))
      expect((await client.track(client.number(sent++), true)).status).toBe(200)
      expect(await client.rows('SELECT count(*)::INT FROM events')).toEqual([[sent]])
      await delay(500)
    }
    const engine = engineOf(service.pid)!
    const used = [residentMiB(service.pid), residentMiB(engine)]
    console.log(`resident: ${used.map((mebibytes) => `${Math.round(mebibytes)} MiB`).join(', ')}`)
    expect(Math.max(...used)).toBeLessThan(1500)
    expect(engineOf(service.pid)).toBe(engine)
    service.kill('SIGTERM')
    expect((await service.ended).code).toBe(0)
  },
)

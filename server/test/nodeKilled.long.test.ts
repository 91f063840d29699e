import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { ensureBuilt } from '../../scripts/setup.mjs'
import { urlIn } from './fixtures/spawnService.js'
import { rows, useSpawned } from './fixtures/useSpawned.js'

/** Calls of one process, and how many it makes between two questions of what is on the disk. */
const calls = 10_000
const atOnce = 50

/** Tracks, and prints how many of its calls are on the disk. With no calls it sends what others have left. */
const program = `
import { createWaymark } from ${JSON.stringify(new URL('../../dist/node.js', import.meta.url).href)}
const [name, endpoint, dir, calls] = process.argv.slice(1)
const waymark = createWaymark({ apiKey: 'sk_1', endpoint, dir })
const user = waymark.forUser('u_1')
for (let n = 0; n < calls; n++) {
  user.track('Counted', { n }, { insertId: name + ' ' + n })
  if (n % ${atOnce} === ${atOnce - 1} && (await waymark.saved())) process.stdout.write(n + 1 + '\\n')
}
process.stdout.write('done\\n')
setInterval(() => {}, 1000)
`

const { startDirectly } = useSpawned()
const queue = mkdtempSync(join(tmpdir(), 'waymark-queue-'))

let url = ''
/** How many events the requests have brought to the service. */
let sent = 0
let requests = 0
let isWell = false
const relay = createServer(async (request, response) => {
  const body = await text(request)
  // One in ten requests finds the service unwell, and one is taken and nobody hears of it, until it is well for good.
  const turn = isWell || ++requests % 10
  if (turn === 3) return response.writeHead(503).end()
  const headers = { 'content-type': 'application/json', 'x-api-key': 'secret-key' }
  const answer = await fetch(url + request.url, { method: 'POST', headers, body })
  sent += (JSON.parse(body) as unknown[]).length
  if (turn === 6) return request.destroy()
  return response.writeHead(answer.status).end(await answer.text())
})
let endpoint = ''

beforeAll(async () => {
  await ensureBuilt({ only: ['library'] })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  endpoint = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
})

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  relay.closeAllConnections()
  relay.close()
  rmSync(queue, { recursive: true, force: true })
})

const children: ChildProcess[] = []

const start = (name: string, count: number) => {
  const args = ['--input-type=module', '--eval', program, name, endpoint, queue, String(count)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })
  return { child, lines, closed: once(child, 'close') }
}

/** Runs a process, kills it once it has said so many lines, and returns how many of its calls were on the disk. */
const killInTheMidst = async (name: string, at: number) => {
  const { child, lines, closed } = start(name, calls)
  let saved = 0
  let said = 0
  for await (const line of lines) {
    if (line !== 'done') saved = Number(line)
    // In the midst of the next calls, at some moment of theirs.
    if (++said === at) setTimeout(() => child.kill('SIGKILL'), Math.random() * 5)
  }
  await closed
  return saved
}

it('has in the service all that was on the disk, once, when processes of one folder are killed', async () => {
  url = urlIn(await startDirectly().ready)
  const saved = new Map<string, number>()
  for (const round of [1, 2, 3, 4])
    await Promise.all(
      ['a', 'b'].map(async (process) => {
        const at = 1 + Math.floor(Math.random() * (calls / atOnce))
        saved.set(`${process}${round}`, await killInTheMidst(`${process}${round}`, at))
      }),
    )
  isWell = true
  const last = start('last', 0)
  const wanted = [...saved].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => `${name} ${n}`),
  )
  const stored = async () => (await rows(url, 'SELECT insert_id FROM events')).flat() as string[]
  const lost = async () => {
    const there = new Set(await stored())
    return wanted.filter((id) => !there.has(id))
  }
  await expect.poll(() => readdirSync(queue).filter((name) => name.endsWith('.log')).length).toBe(1)
  await expect.poll(async () => (await lost()).length, { interval: 500 }).toBe(0)
  last.child.kill('SIGTERM')
  const [code, signal] = (await last.closed) as [number | null, string | null]
  expect([code, signal]).toEqual([null, 'SIGTERM'])

  const there = await stored()
  expect([...saved.values()].some(Boolean)).toBe(true)
  expect(there.length).toBe(new Set(there).size)
  // What was sent is what was called: no id that nobody has given.
  expect(there.filter((id) => !/^[ab]\d \d+$/.test(id))).toEqual([])
  console.log(
    `on the disk ${[...saved].join(' ')}; stored ${there.length}; second copies ${sent - there.length}`,
  )
})

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'

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

let folder = ''
const taken: string[] = []
let requests = 0
let isWell = false
const service = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    // Of ten requests one finds the service unwell, and one is taken and nobody hears of it, until it is well for good.
    const turn = isWell || ++requests % 10
    if (turn === 3) return response.writeHead(503).end()
    const sent = JSON.parse(body) as { properties: { insert_id: string } }[]
    taken.push(...sent.map(({ properties }) => properties.insert_id))
    if (turn === 6) return request.destroy()
    response.end('{"ok":true,"task_id":"t"}')
  })
})
let endpoint = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-node-'))
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  service.closeAllConnections()
  service.close()
  rmSync(folder, { recursive: true, force: true })
})

const children: ChildProcess[] = []

const start = (name: string, count: number) => {
  const args = ['--input-type=module', '--eval', program, name, endpoint, folder, String(count)]
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

it('loses nothing that was on the disk, and sends it under the same ids, when processes of one folder are killed', async () => {
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
  const isMissing = () => [...saved].some(([name, count]) => count && !taken.includes(`${name} ${count - 1}`))
  await expect.poll(() => readdirSync(folder).filter((name) => name.endsWith('.log')).length).toBe(1)
  await expect.poll(isMissing, { timeout: 60_000 }).toBe(false)
  last.child.kill('SIGTERM')
  const [code, signal] = (await last.closed) as [number | null, string | null]
  expect([code, signal]).toEqual([null, 'SIGTERM'])

  const stored = new Set(taken)
  const lost = [...saved].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => `${name} ${n}`).filter((id) => !stored.has(id)),
  )
  expect([...saved.values()].some(Boolean)).toBe(true)
  expect(lost).toEqual([])
  // What was sent is what was called: no id that nobody has given.
  expect([...stored].filter((id) => !/^[ab]\d \d+$/.test(id))).toEqual([])
  console.log(
    `on the disk ${[...saved].join(' ')}; stored ${stored.size}; second copies ${taken.length - stored.size}`,
  )
}, 120_000)

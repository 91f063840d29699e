import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const library = JSON.stringify(new URL('../../dist/node.js', import.meta.url).href)

let folder = ''
let endpoint = ''
const taken: string[] = []
const service = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    taken.push(...(JSON.parse(body) as { event: string }[]).map(({ event }) => event))
    response.end('{"ok":true}')
  })
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-node-'))
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})
afterAll(() => {
  service.closeAllConnections()
  service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a program that has tracked `name`, sends it signals once it says so, and returns how it ended. */
async function run(name: string, program: string, signal?: NodeJS.Signals) {
  const code = `
    import { createWaymark } from ${library}
    const waymark = createWaymark({ apiKey: 'sk_1', endpoint: '${endpoint}', dir: ${JSON.stringify(folder)}, batch: { intervalMs: 1e9 } })
    waymark.forUser('u_1').track('${name}')
    ${program}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code])
  const said = { out: '', error: '' }
  child.stderr.on('data', (chunk: Buffer) => (said.error += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString()
    if (signal) child.kill(signal)
  })
  const [status, by] = (await once(child, 'close')) as [number | null, string | null]
  expect(said.error).toBe('')
  return status ?? by
}

const stay = `setInterval(() => {}, 1000); console.log('ready')`

it('sends what waits when nothing is left to do', async () => {
  expect(await run('Ended', '')).toBe(0)
  expect(taken.splice(0)).toEqual(['Ended'])
})

it('sends what waits on a signal, which ends the process as it always does', async () => {
  expect(await run('Signalled', stay, 'SIGTERM')).toBe('SIGTERM')
  expect(taken.splice(0)).toEqual(['Signalled'])
  expect(await run('Interrupted', stay, 'SIGINT')).toBe('SIGINT')
  expect(taken.splice(0)).toEqual(['Interrupted'])
})

it('leaves a signal to a host that listens to it', async () => {
  const host = `process.on('SIGTERM', async () => {
    waymark.forUser('u_1').track('Last')
    await waymark.shutdown()
    process.exit(7)
  })`
  expect(await run('Heard', `${host}; ${stay}`, 'SIGTERM')).toBe(7)
  expect(taken.splice(0)).toEqual(['Heard', 'Last'])
})

it('has on the disk what was tracked right before process.exit', async () => {
  expect(await run('Exited', 'process.exit(3)')).toBe(3)
  expect(taken).toEqual([])
  // The next process takes it over, and then has nothing left to do.
  const untilTaken = `const timer = setInterval(() => waymark.stats().queued > 1 && clearInterval(timer), 20)`
  expect(await run('Next', untilTaken)).toBe(0)
  expect(taken.splice(0).toSorted()).toEqual(['Exited', 'Next'])
})

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from './fixtures/eventually.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-npm-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))

it.runIf(process.platform !== 'win32')('npm run server ends with the shell that npm runs it in', async () => {
  // What npm does, without npm: a shell that does not pass signals on.
  const command = `node scripts/server.mjs --port 0 --data '${folder}' --quiet; true`
  const shell = spawn('sh', ['-c', command], {
    cwd: root,
    env: { ...process.env, npm_lifecycle_event: 'server' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await eventually(() => expect(output).toContain('ready at'))
  const url = /http:\S+/.exec(output)![0]
  expect((await fetch(url)).status).toBe(200)
  shell.kill('SIGTERM')
  await eventually(() => expect(fetch(url)).rejects.toThrow('fetch failed'))
})

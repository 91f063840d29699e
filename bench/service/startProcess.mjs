import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Resident memory of a process now and at its highest, in MiB. */
export const memoryOf = (pid) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
  return { nowMiB: read('VmRSS'), peakMiB: read('VmHWM') }
}

const start = (file, flags, env) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it was ready.`)))
    child.stdout.once('data', (chunk) => {
      const url = /http:\S+/.exec(chunk.toString())[0]
      const stop = () =>
        new Promise((done) => {
          child.once('exit', done)
          child.kill('SIGTERM')
        })
      resolve({ url, pid: child.pid, stop })
    })
  })

/** The service as its launcher starts it, without the launcher, so that its pid is known. */
export const startService = async (flags = []) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  const common = ['--port', '0', '--data', folder, '--api-keys', 'key', '--users', 'a:b', '--quiet']
  const service = await start(at('../../server/dist/main.js'), [...common, ...flags], {
    UV_THREADPOOL_SIZE: '16',
  })
  return {
    ...service,
    folder,
    async stop() {
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const startBare = () => start(at('bareServer.mjs'), [], {})

export const basic = `Basic ${Buffer.from('a:b').toString('base64')}`

export const query = async (url, statement, more = {}) => {
  const response = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ statement, ...more }),
  })
  const lines = (await response.text()).trim().split('\n')
  if (response.status !== 200) throw new Error(lines.join(' '))
  return lines.slice(2).map((line) => JSON.parse(line))
}

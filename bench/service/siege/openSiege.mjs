import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../scripts/setup/freePort.mjs'
import { mountSmallDisk, unmount } from './attacks.mjs'

const program = fileURLToPath(new URL('../../../server/dist/main.js', import.meta.url))
const diskMiB = 3072
const limits = ['--memory-limit', '512MiB', '--engine-memory', '2GB', '--statement-timeout', '20']

/** The service on a disk of its own, started again after each of its ends. */
export const openSiege = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-siege-'))
  const isSmallDisk = await mountSmallDisk(folder, diskMiB)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const [port, postgresPort] = [await freePort(), await freePort()]
  const flags = ['--port', port, '--postgres-port', postgresPort, '--data', data, '--api-keys', 'key']
  const accounts = ['--users', 'a:b,another:user,eve:evil', '--environments', 'production,siege']
  const logFile = mkdtempSync(join(tmpdir(), 'waymark-siege-log-'))
  const log = openSync(join(logFile, 'log'), 'a')
  let child
  let hasEnded = Promise.resolve()
  const start = () => {
    child = spawn(process.execPath, [program, ...flags, ...accounts, ...limits].map(String), {
      stdio: ['ignore', 'pipe', log],
      env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
    })
    const started = child
    hasEnded = new Promise((resolve) => started.once('exit', (code, signal) => resolve(code ?? signal)))
    return Promise.race([
      new Promise((resolve) => started.stdout.once('data', () => resolve(undefined))),
      hasEnded,
    ])
  }
  return {
    folder,
    data,
    postgresPort,
    isSmallDisk,
    url: () => `http://127.0.0.1:${port}`,
    pid: () => child.pid,
    enginePid: () =>
      Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0]),
    ended: () => hasEnded,
    startOnce: start,
    /** Once what ended has gone: the engine's lock goes with the process. */
    async restart() {
      await hasEnded
      for (let tries = 0; (await start()) !== undefined && tries < 30; tries++) await delay(1000)
    },
    async close() {
      child.kill('SIGTERM')
      await hasEnded
      if (isSmallDisk) await unmount(folder)
      rmSync(folder, { recursive: true, force: true })
      closeSync(log)
      const lines = readFileSync(join(logFile, 'log'), 'utf8').trim().split('\n')
      rmSync(logFile, { recursive: true })
      return lines
    },
  }
}

#!/usr/bin/env node
// DuckDB's calls and the file system share libuv's pool, and its size is read once, before any
// program code runs. So the size is set here and the service itself runs as a child.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const threads = process.env.UV_THREADPOOL_SIZE ?? String(Math.max(16, 4 * availableParallelism()))
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

const child = spawn(process.execPath, [...process.execArgv, main, ...process.argv.slice(2)], {
  // The channel tells the child when this launcher dies, however it dies.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { ...process.env, UV_THREADPOOL_SIZE: threads },
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))

child.on('error', (error) => {
  console.error(`waymark-server could not start Node: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1)
  for (const each of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.removeAllListeners(each)
  process.kill(process.pid, signal)
})

import { readFileSync, writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

interface Watch {
  maxBytes: number
  isSilent: boolean
}

const pageBytes = 4096
const everyMs = 50

/** Memory of this process that is its own: what files it has mapped can be taken from it at any time. */
const ownBytes = (): number => {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  const [, resident, shared] = readFileSync('/proc/self/statm', 'utf8').split(' ').map(Number)
  return (resident! - shared!) * pageBytes
}

/**
 * Ends this process when it holds more memory than it may: DuckDB folds constants outside of its own
 * limit, and where `boundMemory` could not nothing else ends `len(range(2000000000))`. It looks from a thread of its own, which no
 * query can hold up, and the log's last line says why.
 */
export const watchMemory = (maxBytes: number, isSilent: boolean): void => {
  const watch: Watch = { maxBytes, isSilent }
  new Worker(new URL(import.meta.url), { workerData: watch, execArgv: [] }).unref()
}

const look = ({ maxBytes, isSilent }: Watch) => {
  setInterval(() => {
    const bytes = ownBytes()
    if (bytes <= maxBytes) return
    const message = 'The engine holds more memory than it may, and ends.'
    const line = { time: new Date().toISOString(), level: 'error', message, bytes, max_bytes: maxBytes }
    try {
      if (!isSilent) writeSync(2, `${JSON.stringify(line)}\n`)
    } catch {
      // Nobody reads the log, or its disk is full.
    }
    process.kill(process.pid, 'SIGKILL')
  }, everyMs)
}

if (!isMainThread && (workerData as Watch | null)?.maxBytes !== undefined) look(workerData as Watch)

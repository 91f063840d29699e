import { readFileSync, writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

interface Watch {
  maxBytes: number
  isSilent: boolean
}

/** Ends the process at once, and tells the parent process why. Windows knows few signals. */
export const memorySignal: NodeJS.Signals = process.platform === 'win32' ? 'SIGKILL' : 'SIGUSR2'

const pageBytes = 4096
const everyMs = 50

/** The memory that only this process holds. Mapped files do not count: the system can take their memory back at any time. */
const ownBytes = (): number => {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  const [, resident, shared] = readFileSync('/proc/self/statm', 'utf8').split(' ').map(Number)
  return (resident! - shared!) * pageBytes
}

/**
 * Ends this process when it holds more memory than it may. DuckDB folds constants outside of its own limit, so without
 * `boundMemory` nothing else ends `len(range(2000000000))`. The check runs in a thread of its own, which no query can
 * hold up, and the last line of the log says why the process ended.
 */
export const watchMemory = (maxBytes: number, isSilent: boolean): void => {
  const watch: Watch = { maxBytes, isSilent }
  new Worker(new URL(import.meta.url), { workerData: watch, execArgv: [] }).unref()
}

const endWhenOver = ({ maxBytes, isSilent }: Watch) => {
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
    process.kill(process.pid, memorySignal)
  }, everyMs)
}

if (!isMainThread && (workerData as Watch | null)?.maxBytes !== undefined) endWhenOver(workerData as Watch)

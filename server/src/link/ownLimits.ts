import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { setPriority } from 'node:os'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** What the work of a `SideProcess` may take. */
export interface Limits {
  longestMs: number
  mostBytes: number
}

/** A process says this when its work takes too much, and its parent ends it. */
export interface Over {
  kind: 'over'
  limit: 'time' | 'memory'
}

const lookEveryMs = 20
const endWithinMs = 1000

/** `process.exit` waits for DuckDB, which may work on for as long as it likes. */
const endMe = () => process.kill(process.pid, 'SIGKILL')

/** Has this process ended when its work takes too long or too much memory, until the returned function is called. */
export const limitSelf = ({ longestMs, mostBytes }: Limits): (() => void) => {
  const end = (limit: Over['limit']) => {
    stop()
    process.send?.({ kind: 'over', limit } satisfies Over)
    setTimeout(endMe, endWithinMs)
  }
  const late = setTimeout(() => end('time'), longestMs)
  const look = setInterval(() => {
    if (process.memoryUsage.rss() > mostBytes) end('memory')
  }, lookEveryMs)
  const stop = () => {
    clearTimeout(late)
    clearInterval(look)
  }
  return stop
}

/** Ends this process when its parent was killed, which then needs no answer. */
export const endWithParent = (): void => {
  process.once('disconnect', endMe)
}

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

/** The numbers of this process's threads. Only Linux lets each have a priority of its own. */
const ownThreads = (): string[] => (process.platform === 'linux' ? readdirSync('/proc/self/task') : [])

const lower = (threads: readonly string[], nice: number) => {
  for (const thread of threads) {
    try {
      setPriority(Number(thread), nice)
    } catch {
      // The thread has ended meanwhile.
    }
  }
}

/** Lowers the priority of this process. */
export const goBehind = (nice: number): void => {
  setPriority(nice)
  // On Linux this sets the priority of one thread only. DuckDB works in the threads of libuv's pool, which exist
  // already. Later threads inherit the priority.
  lower(ownThreads(), nice)
}

/** Lowers the priority of the threads that some work begins. */
export const beginBehind = async (nice: number, work: () => Promise<void>): Promise<void> => {
  const before = new Set(ownThreads())
  await work()
  lower(
    ownThreads().filter((thread) => !before.has(thread)),
    nice,
  )
}

/** The system counts memory that is hardly ever touched, such as the stacks of threads; the limit allows for it. */
const untouchedBytes = 2 ** 28

/**
 * Makes the system refuse memory to this process beyond a limit, so that DuckDB refuses the statement that asked for
 * it: `SELECT len(range(2000000000))` wants 16 GiB outside of DuckDB's own limit. Gives false when the system has no
 * such limit or no `prlimit`; then `watchMemory` must end the process.
 */
export const boundMemory = (maxBytes: number): boolean => {
  if (process.platform !== 'linux') return false
  // By default DuckDB's allocator keeps the addresses of all freed memory, those of pages that it has given back for
  // ten seconds more, and freed blocks of up to 256 MiB whole. All of them count against the limit: after one large
  // statement had failed, every later one failed as well, and V8, which found no memory either, ended the engine.
  process.env['DUCKDB_JE_MALLOC_CONF'] ??= 'retain:false,muzzy_decay_ms:0,oversize_threshold:8388608'
  try {
    const limit = Math.floor(maxBytes) + untouchedBytes
    execFileSync('prlimit', [`--pid=${process.pid}`, `--data=${limit}:`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

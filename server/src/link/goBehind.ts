import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Lowers the priority of this process. */
export const goBehind = (nice: number): void => {
  setPriority(nice)
  // On Linux this sets the priority of one thread only. DuckDB works in the threads of libuv's pool, which exist
  // already. Later threads inherit the priority.
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      setPriority(Number(thread), nice)
    } catch {
      // The thread has ended meanwhile.
    }
  }
}

import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** The ids of a process's children; an empty list when it has just ended. */
const childrenOf = (pid: number): number[] => {
  const file = `/proc/${pid}/task/${pid}/children`
  const pids = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return pids === '' ? [] : pids.split(' ').map(Number)
}

const tell = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended.
  }
}

/** Sends a signal to a process and its children at one moment. Returns the ids of all of them. */
export const signalFamily = (pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): number[] => {
  // A parent that stands still makes no further child.
  tell(pid, 'SIGSTOP')
  const family = [...childrenOf(pid), pid]
  for (const each of family) tell(each, signal)
  return family
}

/** Whether a process still holds memory, sockets and locks: one that has ended and was not yet waited for does not. */
const isRunning = (pid: number): boolean => {
  try {
    const [state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!
    return state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}

/**
 * Kills a process and its children, and resolves once none of them holds anything. A killed server's child can outlive
 * it by a moment, and the next server would then find its shared memory in use.
 */
export const killFamily = async (pid: number): Promise<void> => {
  const family = signalFamily(pid, 'SIGKILL')
  while (family.some(isRunning)) await delay(5)
}

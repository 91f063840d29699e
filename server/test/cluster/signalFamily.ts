import { existsSync, readFileSync } from 'node:fs'

/** None of a process that has just ended. */
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

/** Sends a signal to a process and its children at one moment. */
export const signalFamily = (pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void => {
  // A parent that stands still makes no further child.
  tell(pid, 'SIGSTOP')
  for (const each of [...childrenOf(pid), pid]) tell(each, signal)
}

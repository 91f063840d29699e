import { readFileSync } from 'node:fs'

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((each) => each !== '')
    .map(Number)

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

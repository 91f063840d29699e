/** What the work of a `SideProcess` may take. */
export interface Limits {
  longestMs: number
  mostBytes: number
}

/** The exit codes of a process whose work takes too long, or too much memory. */
export const tooLongCode = 3
export const tooLargeCode = 4

const lookEveryMs = 20

/** Ends this process when its work takes too long or too much memory, until the returned function is called. */
export const limitSelf = ({ longestMs, mostBytes }: Limits): (() => void) => {
  const late = setTimeout(() => process.exit(tooLongCode), longestMs)
  const look = setInterval(() => {
    if (process.memoryUsage.rss() > mostBytes) process.exit(tooLargeCode)
  }, lookEveryMs)
  return () => {
    clearTimeout(late)
    clearInterval(look)
  }
}

/** Ends this process when its parent was killed, which then needs no answer. */
export const endWithParent = (): void => {
  process.once('disconnect', () => process.exit(0))
}

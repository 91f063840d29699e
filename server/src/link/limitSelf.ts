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

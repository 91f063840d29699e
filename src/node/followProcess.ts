import type { Stop } from '../core/types'

/** What an instance does when its process is told to end, or ends. */
export interface Ending {
  /** Sends what waits, for as long as a process that was told to end may take. */
  flush(): Promise<unknown>
  /** Writes what is not on the disk yet, at once. */
  saveNow(): void
}

const endings = new Set<Ending>()
const signals = ['SIGINT', 'SIGTERM'] as const

const flushAll = () => Promise.all([...endings].map((ending) => ending.flush()))

/**
 * A listener takes away what a signal does by itself. So this one is there once, before all others, and sends the
 * signal anew when it was alone: a second Ctrl-C ends the process at once, and a host that listens decides by itself.
 */
const hearSignal = async (signal: NodeJS.Signals) => {
  const isAlone = !process.listenerCount(signal)
  await flushAll()
  if (isAlone) process.kill(process.pid, signal)
  // The first process of a container outlives what it does not listen to.
  if (endings.size) listen(signal)
}

const listen = (signal: NodeJS.Signals) => {
  process.removeListener(signal, hearSignal)
  process.prependOnceListener(signal, hearSignal)
}

const saveAll = () => {
  for (const ending of endings) ending.saveNow()
}

/** Follows the end of the process: by a signal, because nothing is left to do, or by `process.exit`. */
export const followProcess = (ending: Ending): Stop => {
  if (!globalThis.process?.prependOnceListener) return () => {}
  if (!endings.size) {
    for (const signal of signals) listen(signal)
    process.once('beforeExit', flushAll)
    process.on('exit', saveAll)
  }
  endings.add(ending)
  return () => {
    endings.delete(ending)
    if (endings.size) return
    for (const signal of signals) process.removeListener(signal, hearSignal)
    process.removeListener('beforeExit', flushAll)
    process.removeListener('exit', saveAll)
  }
}

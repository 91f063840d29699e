import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../log/createLog.js'
import type { AcceptLog, LogEntry } from './createAcceptLog.js'

export interface DrainOptions {
  log: AcceptLog
  /** Writes the entries and the new position in one transaction. */
  apply(entries: readonly LogEntry[], through: number): Promise<void>
  /** Sets an entry aside with the reason, and moves the position past it, in one transaction. */
  reject(entry: LogEntry, through: number, reason: string): Promise<void>
  /** Rows that wait, from which on storing them goes before accepting more. */
  urgentRows: number
  /** The position at the start. */
  applied: number
  /** Whether another try may succeed: a full disk, a conflict. Otherwise the data is at fault. */
  mayPass(error: unknown): boolean
  report: Log
}

export interface Drain {
  /** Says that the log has grown. */
  wake(): void
  applied(): number
  /** Bytes of the bodies applied or set aside since the start. */
  appliedBytes(): number
  /** Resolves true once a sequence has been applied or set aside, false when that took too long. */
  reached(sequence: number, withinMs: number): Promise<boolean>
  /** Why the entry that ends with this sequence was set aside, if it was, and lately. */
  rejection(sequence: number): string | undefined
  /** Rests after the run at hand; what is left stays in the log. */
  stop(): Promise<void>
}

interface Waiter {
  sequence: number
  settle(reached: boolean): void
}

const maxRejections = 1000
const maxRows = 20_000
const maxBytes = 16_777_216
/** A flush has a price of its own, so under load it waits for company; a lone row never waits. */
const lingerMs = 250
/** A flush of so many rows costs as little a row as any larger one. */
const fullRows = 20_000
/** While requests come, a flush is followed by a rest that many times as long: the log is patient. */
const restPerFlush = 16
const retryMs = [20, 50, 100, 250, 500, 1000, 2000]

const lastOf = (entry: LogEntry) => entry.first + entry.count - 1
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 500)

/** The one writer of a catalog: takes what the log holds, as much as came since the last flush, in order. */
export const createDrain = (options: DrainOptions): Drain => {
  const { log, apply, reject, mayPass, urgentRows, report } = options
  let { applied } = options
  let appliedBytes = 0
  let running: Promise<void> | undefined
  let stopping = false
  /** Ends the pause at hand. */
  let hurry: (() => void) | undefined
  /** The same, for a pause that only waits for rows. */
  let filled: (() => void) | undefined
  let waiters: Waiter[] = []
  const rejections = new Map<number, string>()

  const advance = (entries: readonly LogEntry[]) => {
    applied = lastOf(entries.at(-1)!)
    for (const { body } of entries) appliedBytes += body.length
    const ready = waiters.filter((waiter) => waiter.sequence <= applied)
    if (ready.length === 0) return
    waiters = waiters.filter((waiter) => waiter.sequence > applied)
    for (const waiter of ready) waiter.settle(true)
  }

  /** Halves the run around an entry that DuckDB will never take, so that its neighbours get in. */
  const applyOrSplit = async (entries: readonly LogEntry[]): Promise<void> => {
    const through = lastOf(entries.at(-1)!)
    try {
      await apply(entries, through)
    } catch (error) {
      if (mayPass(error)) throw error
      if (entries.length === 1) {
        report.error('An accepted request could not be stored and was set aside.', {
          kind: entries[0]!.kind,
          sequence: entries[0]!.first,
          reason: reasonOf(error),
        })
        await reject(entries[0]!, through, reasonOf(error))
        rejections.set(through, reasonOf(error))
        for (const old of rejections.keys()) if (rejections.size > maxRejections) rejections.delete(old)
      } else {
        const middle = entries.length >> 1
        await applyOrSplit(entries.slice(0, middle))
        await applyOrSplit(entries.slice(middle))
        return
      }
    }
    advance(entries)
  }

  const waiting = () => log.last() - applied

  const pause = async (ms: number, untilFull: boolean) => {
    if (ms <= 0 || waiters.length > 0 || stopping) return
    const abort = new AbortController()
    const end = () => abort.abort()
    hurry = end
    if (untilFull) filled = end
    await delay(ms, undefined, { signal: abort.signal }).catch(() => undefined)
    hurry = filled = undefined
  }

  /** Between two flushes: first for the sake of those who send, then for company. */
  const rest = async (tookMs: number, lastBefore: number) => {
    const accepting = log.last() > lastBefore
    const restMs = accepting && waiting() < urgentRows ? tookMs * restPerFlush : 0
    await pause(restMs, false)
    if (waiting() < fullRows) await pause(lingerMs - restMs, true)
  }

  const run = async () => {
    let failures = 0
    for (;;) {
      const entries = log.read(applied, maxRows, maxBytes)
      if (entries.length === 0) return
      const [began, lastBefore] = [performance.now(), log.last()]
      try {
        await applyOrSplit(entries)
        failures = 0
        if (stopping) return
        await rest(performance.now() - began, lastBefore)
      } catch (error) {
        report.warn('Storing accepted requests failed; they stay in the log.', { reason: reasonOf(error) })
        if (stopping) return
        await delay(retryMs[Math.min(failures, retryMs.length - 1)])
        failures++
      }
    }
  }

  const wake = () => {
    if (filled !== undefined && waiting() >= fullRows) filled()
    if (running !== undefined || stopping) return
    running = run().then(
      () => {
        running = undefined
        if (log.read(applied, 1, 1).length > 0) wake()
      },
      (error: unknown) => {
        running = undefined
        report.error('Reading the accept log failed.', { reason: reasonOf(error) })
      },
    )
  }

  return {
    wake,
    applied: () => applied,
    appliedBytes: () => appliedBytes,
    rejection: (sequence) => rejections.get(sequence),
    reached(sequence, withinMs) {
      if (sequence <= applied) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(() => waiter.settle(false), withinMs)
        const waiter: Waiter = {
          sequence,
          settle(reached) {
            clearTimeout(timer)
            waiters = waiters.filter((each) => each !== waiter)
            resolve(reached)
          },
        }
        waiters.push(waiter)
        hurry?.()
      })
    },
    async stop() {
      stopping = true
      hurry?.()
      await running
      for (const waiter of waiters) waiter.settle(false)
    },
  }
}

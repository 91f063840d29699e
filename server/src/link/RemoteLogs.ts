import type { Hello } from './EngineLink.js'
import { type DeadLetter, RecentDeadLetters } from '../wal/rejected.js'
import { Waiters } from '../wal/RemoteApplier.js'

interface RemoteLog {
  catalog: string
  letters: RecentDeadLetters
  waiters: Waiters
  /** The position that was heard first. */
  first?: number
  /** The position that was heard last. */
  applied?: number
  setAsideRows: number
}

export interface LogCounts {
  catalog: string
  /** Rows that have left the log since this process started, including rows that were set aside. */
  appliedRows: number
  setAsideRows: number
}

/** What the engine has reported of all logs, including those that it writes itself. */
export class RemoteLogs {
  readonly #logs: ReadonlyMap<number, RemoteLog>

  /** `catalogs` gives the catalog of each log number. */
  constructor(catalogs: ReadonlyMap<number, string>) {
    this.#logs = new Map(
      [...catalogs].map(([number, catalog]) => [
        number,
        { catalog, letters: new RecentDeadLetters(), waiters: new Waiters(), setAsideRows: 0 },
      ]),
    )
  }

  lettersOf(number: number): RecentDeadLetters | undefined {
    return this.#logs.get(number)?.letters
  }

  /** The position of a log; undefined until the engine has told it. */
  appliedOf(number: number): number | undefined {
    return this.#logs.get(number)?.applied
  }

  /** Resolves true once the engine has stored a row of a log, false after `withinMs`. */
  reached(number: number, sequence: number, withinMs: number): Promise<boolean> {
    const log = this.#logs.get(number)!
    if (sequence <= (log.applied ?? -1)) return Promise.resolve(true)
    return log.waiters.wait(sequence, withinMs)
  }

  /** Settles all waits: nothing more will be heard. */
  stop(): void {
    for (const { waiters } of this.#logs.values()) waiters.end()
  }

  /** Takes over what an engine knows when it connects. */
  begin({ setAside, applied }: Hello): void {
    for (const [number, letters] of setAside) this.#logs.get(number)?.letters.replace(letters)
    for (const [number, through] of applied) this.advance(number, through)
  }

  advance(number: number, through: number): void {
    const log = this.#logs.get(number)
    if (log === undefined) return
    log.first ??= through
    log.applied = Math.max(log.applied ?? 0, through)
    log.waiters.reach(log.applied)
  }

  setAside(number: number, letter: DeadLetter): void {
    const log = this.#logs.get(number)
    if (log === undefined) return
    log.letters.add(letter)
    log.setAsideRows += letter.rows
  }

  counts(): LogCounts[] {
    return [...this.#logs.values()].map(({ catalog, first = 0, applied = 0, setAsideRows }) => ({
      catalog,
      appliedRows: applied - first,
      setAsideRows,
    }))
  }
}

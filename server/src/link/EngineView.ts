import type { EngineLink, Hello } from './EngineLink.js'
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

/** Since when accepted rows are not being stored, and why. */
export interface Failing {
  sinceMs: number
  reason: string
}

/** What fails: a log, by its number, or the engine when it cannot even be started. */
type Part = number | 'engine'

/** What the engine has reported of all logs, including those that it writes itself, as far as this process has heard. */
export class EngineView {
  readonly #link: Pick<EngineLink, 'on' | 'isUp' | 'isQuiet'>
  readonly #logs: ReadonlyMap<number, RemoteLog>
  readonly #failing = new Map<Part, Failing>()
  readonly #now: () => number

  /** `catalogs` gives the catalog of each log number. */
  constructor(
    link: Pick<EngineLink, 'on' | 'isUp' | 'isQuiet'>,
    catalogs: ReadonlyMap<number, string>,
    now: () => number = Date.now,
  ) {
    this.#link = link
    this.#now = now
    this.#logs = new Map(
      [...catalogs].map(([number, catalog]) => [
        number,
        { catalog, letters: new RecentDeadLetters(), waiters: new Waiters(), setAsideRows: 0 },
      ]),
    )
    link.on('up', (hello) => this.#begin(hello))
    link.on('applied', (number, through) => this.#advance(number, through))
    link.on('setAside', (number, letter) => this.#setAside(number, letter))
    link.on('storing', (number, failing) => this.#learn(number, failing))
  }

  /** Whether an engine is there that is heard of and stores rows. */
  get isStoring(): boolean {
    return this.#link.isUp && !this.#link.isQuiet && this.failing === undefined
  }

  /** The failure that has lasted longest; undefined when all is well. */
  get failing(): Failing | undefined {
    return [...this.#failing.values()].toSorted((a, b) => a.sinceMs - b.sinceMs)[0]
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

  /** The engine cannot be started. */
  fail(reason: string): void {
    this.#fail('engine', reason)
  }

  counts(): LogCounts[] {
    return [...this.#logs.values()].map(({ catalog, first = 0, applied = 0, setAsideRows }) => ({
      catalog,
      appliedRows: applied - first,
      setAsideRows,
    }))
  }

  #fail(part: Part, reason: string): void {
    this.#failing.set(part, { sinceMs: this.#failing.get(part)?.sinceMs ?? this.#now(), reason })
  }

  /** Without a reason rows of the log are stored, or no row waits. In both cases the engine is there. */
  #learn(number: number, reason: string | null): void {
    if (reason !== null) return this.#fail(number, reason)
    this.#failing.delete(number)
    this.#failing.delete('engine')
  }

  /** Takes over what an engine knows when it connects. */
  #begin({ setAside, applied, storing }: Hello): void {
    for (const [number, letters] of setAside) this.#logs.get(number)?.letters.replace(letters)
    for (const [number, through] of applied) this.#advance(number, through)
    for (const [number, reason] of storing) this.#learn(number, reason)
  }

  #advance(number: number, through: number): void {
    const log = this.#logs.get(number)
    if (log === undefined) return
    log.first ??= through
    log.applied = Math.max(log.applied ?? 0, through)
    log.waiters.reach(log.applied)
  }

  #setAside(number: number, letter: DeadLetter): void {
    const log = this.#logs.get(number)
    if (log === undefined) return
    log.letters.add(letter)
    log.setAsideRows += letter.rows
  }
}

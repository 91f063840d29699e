import { isInvalidated, isOutOfMemory, isOutOfRoom } from '../duckdb/transactions.js'

/** Says how many rows of a request could not be stored. */
export interface DeadLetter {
  /** The sequence of the request's last row, which also identifies its task. */
  request: number
  rows: number
  /** Why the first of these rows could not be stored. */
  reason: string
}

export const maxDeadLetters = 10_000

/** The dead letters of the newest requests. */
export class RecentDeadLetters {
  readonly #kept = new Map<number, DeadLetter>()

  add({ request, rows, reason }: DeadLetter): void {
    const known = this.#kept.get(request)
    this.#kept.set(
      request,
      known === undefined ? { request, rows, reason } : { ...known, rows: known.rows + rows },
    )
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= maxDeadLetters) break
      this.#kept.delete(old)
    }
  }

  /** Replaces the dead letter of the same request. */
  put(letter: DeadLetter): void {
    this.#kept.delete(letter.request)
    this.add(letter)
  }

  get(request: number): DeadLetter | undefined {
    return this.#kept.get(request)
  }

  all(): DeadLetter[] {
    return [...this.#kept.values()]
  }

  /** Replaces all dead letters. */
  replace(letters: readonly DeadLetter[]): void {
    this.#kept.clear()
    for (const letter of letters) this.add(letter)
  }
}

/** Says why rows cannot be stored. `of` is `request` when the reason holds for all rows of the request. */
export class Unstorable extends Error {
  constructor(
    readonly of: 'request' | 'row',
    message: string,
  ) {
    super(message)
    this.name = 'Unstorable'
  }
}

/**
 * Says why rows are not being stored, in words that anybody may read. DuckDB's own words do not serve: they hold paths
 * of this machine and parts of rows.
 */
export const whyFailing = (error: unknown): string => {
  if (isOutOfRoom(error)) return 'The disk of the data folder is full, or takes no writes.'
  if (isOutOfMemory(error))
    return 'Storing rows, or the queries that run meanwhile, needs more memory than DuckDB may have (--memory-limit).'
  if (isInvalidated(error))
    return 'DuckDB closed the store after an error; the engine is being started again.'
  return 'DuckDB reports an error; the log of the service says which.'
}

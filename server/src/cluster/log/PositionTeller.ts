import type { DeadLetter } from '../../wal/rejected.js'
import { channels } from './LogWatch.js'
import type { ServerConnection } from './ServerConnection.js'

export interface PositionTellerOptions {
  /** The reader's name in the log. */
  name: string
  /** The reader's machine and data folder, for people. */
  place: string
  /** The last row that the store has. */
  applied: number
  /** The connection to the server, while there is one. */
  connection(): ServerConnection | undefined
}

const tellMs = 250
const heartbeatMs = 5000

export const positionSql = `
INSERT INTO waymark.readers (name, applied, joined, place) VALUES ($1, $2, $2, $3)
ON CONFLICT (name) DO UPDATE SET applied = excluded.applied, place = excluded.place, seen = now()`

const lettersSql = `
INSERT INTO waymark.set_aside (request, rows, reason)
SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[])
ON CONFLICT (request) DO UPDATE SET rows = greatest(set_aside.rows, excluded.rows)`

/** Tells the log how far one store is, and which rows it could not store. */
export class PositionTeller {
  readonly #options: PositionTellerOptions
  #applied: number
  #wanted: number[] = []
  /** Dead letters by request, because one statement cannot change a row twice. */
  readonly #letters = new Map<number, DeadLetter>()
  #toldMs = 0
  #telling: NodeJS.Timeout | undefined

  constructor(options: PositionTellerOptions) {
    this.#options = options
    this.#applied = options.applied
  }

  /** The last row that the store has. */
  get applied(): number {
    return this.#applied
  }

  /** Notes that rows have been stored. */
  advance(through: number): void {
    this.#applied = through
    const isWanted = this.#wanted.some((sequence) => sequence <= through)
    if (isWanted) this.#tell()
    else this.#tellSoon()
  }

  /** Tells at once when the store has this row, because another process waits for it. */
  want(sequence: number): void {
    this.#wanted.push(sequence)
    if (sequence <= this.#applied) this.#tell()
  }

  /** Notes that rows of a request could not be stored. It is called again for a request with more such rows. */
  setAside(letter: DeadLetter): void {
    this.#letters.set(letter.request, letter)
  }

  /** Tells the position again when that is long ago, so that the store counts as there. */
  beat(): void {
    if (performance.now() - this.#toldMs > heartbeatMs) this.#tell()
  }

  stop(): void {
    clearTimeout(this.#telling)
  }

  #tellSoon(): void {
    const restMs = this.#toldMs + tellMs - performance.now()
    this.#telling ??= setTimeout(() => this.#tell(), Math.max(0, restMs))
  }

  #tell(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    this.#toldMs = performance.now()
    this.#wanted = this.#wanted.filter((sequence) => sequence > this.#applied)
    void this.#write()
  }

  /** Writes dead letters before the position: a process that sees the position must see them too. */
  async #write(): Promise<void> {
    const connection = this.#options.connection()
    if (connection === undefined) return
    const letters = [...this.#letters.values()]
    this.#letters.clear()
    try {
      if (letters.length > 0) {
        const columns = (['request', 'rows', 'reason'] as const).map((key) =>
          letters.map((each) => each[key]),
        )
        await connection.ask(lettersSql, columns)
      }
      await connection.ask(
        `WITH told AS (${positionSql} RETURNING name) SELECT pg_notify('${channels.applied}', '') FROM told`,
        [this.#options.name, this.#applied, this.#options.place],
      )
    } catch {
      // The connection has ended, or the server's disk is full. The next write sends the letters again.
      for (const letter of letters) {
        if (!this.#letters.has(letter.request)) this.#letters.set(letter.request, letter)
      }
    }
  }
}

import { readFileSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { writeWhole } from '../disk/writeWhole.js'

const dayMs = 86_400_000
/** A service may be stopped for so long, or its clock be ahead by so much, before retention waits for --clock-checked. */
const longestGapDays = 7

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/**
 * When the newest stored event was received, but for those of a later time, which came while a clock was wrong. A store
 * without a note, such as a restored one, is judged by this.
 */
const readNewest = async (connection: DuckDBConnection): Promise<number | undefined> => {
  const reader = await connection.runAndReadAll(
    `SELECT epoch_ms(greatest(
       (SELECT max(received_at) FROM analytics.raw.events WHERE received_at <= now()),
       (SELECT timezone('UTC', max(day)::TIMESTAMP) FROM analytics.raw.archived_files WHERE day <= now()::DATE)))::DOUBLE`,
  )
  return (reader.getRows()[0]![0] as number | null) ?? undefined
}

/**
 * Keeps in a file when the service ran last. A clock that is a year ahead would make all events too old. So when the
 * clock is far ahead of the note, retention deletes nothing until somebody has checked the clock.
 */
export class ClockNote {
  readonly #file: string
  readonly #checkedMs: number

  /** `checkedOn` is a day, such as 2027-01-31, on which somebody found the clock to be right. */
  constructor(file: string, checkedOn: string | undefined) {
    this.#file = file
    this.#checkedMs = checkedOn === undefined ? 0 : Date.parse(checkedOn)
  }

  /** Says why the clock may be wrong. Undefined when it may be trusted, and then the file notes the time. */
  async findDoubt(connection: DuckDBConnection): Promise<string | undefined> {
    const nowMs = Date.now()
    const lastMs = this.#read() ?? (await readNewest(connection))
    // Nothing says yet that this clock is right: a note of a clock that is ahead would have it trusted until then.
    if (lastMs === undefined) return undefined
    if (nowMs > Math.max(lastMs, this.#checkedMs) + longestGapDays * dayMs) {
      const today = dayOf(nowMs)
      return `The clock says ${today}, and the service ran last on ${dayOf(lastMs)}, so no event is deleted for its age. If the clock is right, start the service with --clock-checked ${today}.`
    }
    // A clock that was set back must not set the note back.
    this.#write(Math.max(nowMs, lastMs))
    return undefined
  }

  #read(): number | undefined {
    try {
      const { ranAt } = JSON.parse(readFileSync(this.#file, 'utf8')) as { ranAt: string }
      const ms = Date.parse(ranAt)
      return Number.isNaN(ms) ? undefined : ms
    } catch {
      // There is no note yet, or it cannot be read.
      return undefined
    }
  }

  #write(ms: number): void {
    writeWhole(this.#file, JSON.stringify({ ranAt: new Date(ms).toISOString() }))
  }
}

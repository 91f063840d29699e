import { readFileSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { writeWhole } from '../store/writeWhole.js'

const dayMs = 86_400_000
/** A service may be stopped for so long, or its clock be wrong by so much, without anybody being asked. */
const longestGapDays = 7

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** When the newest event that is stored was received: of a store that has no note yet, such as a restored one. */
const readNewest = async (connection: DuckDBConnection): Promise<number | undefined> => {
  const reader = await connection.runAndReadAll(
    `SELECT epoch_ms(greatest(
       (SELECT max(received_at) FROM analytics.raw.events),
       (SELECT timezone('UTC', max(day)::TIMESTAMP) FROM analytics.raw.archived_files)))::DOUBLE`,
  )
  return (reader.getRows()[0]![0] as number | null) ?? undefined
}

/**
 * Remembers, in a file, when the service ran last. A clock that is a year ahead would make all events too old, so
 * what is deleted for its age waits until the clock agrees with that, or somebody has checked it.
 */
export class ClockNote {
  readonly #file: string
  readonly #checkedMs: number

  /** `checkedOn` is a day, such as 2027-01-31, on which somebody found the clock to be right. */
  constructor(file: string, checkedOn: string | undefined) {
    this.#file = file
    this.#checkedMs = checkedOn === undefined ? 0 : Date.parse(checkedOn)
  }

  /** Why the clock is not to be believed, in words; where it is, this moment is remembered. */
  async findDoubt(connection: DuckDBConnection): Promise<string | undefined> {
    const nowMs = Date.now()
    const lastMs = this.#read() ?? (await readNewest(connection)) ?? nowMs
    if (nowMs > Math.max(lastMs, this.#checkedMs) + longestGapDays * dayMs) {
      const today = dayOf(nowMs)
      return `The clock says ${today}, and the service ran last on ${dayOf(lastMs)}, so no event is deleted for its age. If the clock is right, start the service with --clock-checked ${today}.`
    }
    // A clock that was set back says nothing about the time before.
    this.#write(Math.max(nowMs, lastMs))
    return undefined
  }

  #read(): number | undefined {
    try {
      const { ranAt } = JSON.parse(readFileSync(this.#file, 'utf8')) as { ranAt: string }
      const ms = Date.parse(ranAt)
      return Number.isNaN(ms) ? undefined : ms
    } catch {
      // There is none yet, or it cannot be read.
      return undefined
    }
  }

  #write(ms: number): void {
    writeWhole(this.#file, JSON.stringify({ ranAt: new Date(ms).toISOString() }))
  }
}

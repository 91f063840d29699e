import { setImmediate as otherWork } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { IdentifyPayload, TrackPayload } from '../analytics/payloads.js'
import { sliceBytes, sliceItems } from '../json/sliceItems.js'
import type { LogEntry } from '../wal/segment.js'
import { createJudge, type Judge, judgeEvent, type Schemas } from './createJudge.js'
import { judgePlain } from './judgePlain.js'
import type { Plan } from './readPlan.js'

/**
 * An entry of the log with what the plan says of its rows, as a field of JSON: `"verdict":"valid"` where that holds
 * for all, or a list of `verdicts`.
 */
export interface JudgedEntry extends LogEntry {
  verdicts?: string
}

/** Keeps the plans of the log in the store, inside the caller's transaction. */
export const applyPlans = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<void> => {
  for (const { body } of entries) {
    for (const { id, schemas } of JSON.parse(body.toString()) as Plan[]) {
      await connection.run(
        `INSERT INTO analytics.raw.plans SELECT $1, $2::JSON
         WHERE NOT EXISTS (FROM analytics.raw.plans WHERE id = $1)`,
        [id, JSON.stringify(schemas)],
      )
    }
  }
}

/** The plan that the label of an entry names first. */
const planOf = ({ target }: LogEntry): string | undefined => /^\{"plan":"(\w+)"/.exec(target ?? '')?.[1]

const verdictsOf = (kind: string, json: string, judge: Judge): string[] =>
  kind === 'identify'
    ? (JSON.parse(json) as IdentifyPayload[]).map(({ traits }) => judge.ofTraits!.judge(traits ?? {}))
    : (judgePlain(json, judge) ??
      (JSON.parse(json) as TrackPayload[]).map((event) => judgeEvent(judge, event)))

const fieldOf = (verdicts: readonly string[]): string =>
  verdicts.every((verdict) => verdict === 'valid')
    ? '"verdict":"valid"'
    : `"verdicts":${JSON.stringify(verdicts)}`

/** Judges events and traits by the plans that were in force when they were accepted. */
export class Judges {
  readonly #judges = new Map<string, Judge>()

  /** Gives the entries with their verdicts; those that name no plan as they are. */
  async judge(connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<JudgedEntry[]> {
    const judged: JudgedEntry[] = []
    let bytes = 0
    for (const entry of entries) {
      const id = planOf(entry)
      const judge = id === undefined ? undefined : await this.#find(connection, id)
      if (judge === undefined || (entry.kind === 'identify' && !judge.ofTraits)) {
        judged.push(entry)
        continue
      }
      const verdicts: string[] = []
      for (const slice of entry.body.length > sliceBytes ? sliceItems(entry.body) : [entry.body]) {
        for (const verdict of verdictsOf(entry.kind, slice.toString(), judge)) verdicts.push(verdict)
        bytes += slice.length
        if (bytes > sliceBytes) {
          bytes = 0
          await otherWork()
        }
      }
      judged.push({ ...entry, verdicts: fieldOf(verdicts) })
    }
    return judged
  }

  async #find(connection: DuckDBConnection, id: string): Promise<Judge | undefined> {
    const known = this.#judges.get(id)
    if (known !== undefined) return known
    const reader = await connection.runAndReadAll(
      'SELECT schemas::VARCHAR FROM analytics.raw.plans WHERE id = $1',
      [id],
    )
    const schemas = reader.getRows()[0]?.[0]
    if (typeof schemas !== 'string') return undefined
    const judge = createJudge(JSON.parse(schemas) as Schemas)
    this.#judges.set(id, judge)
    return judge
  }
}

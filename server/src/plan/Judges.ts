import { setImmediate as otherWork } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { IdentifyPayload, TrackPayload } from '../payloads/payloads.js'
import { sliceBytes, sliceItems } from '../http/json/sliceItems.js'
import type { LogEntry } from '../wal/segment.js'
import {
  createJudge,
  type Judge,
  judgeEvent,
  type Schemas,
  type SchemaJudge,
  addedProperties,
} from './createJudge.js'
import type { Plan } from './readPlan.js'
import { colon, comma, number, scalar, text } from '../payloads/plainEvents.js'

/*
 * These pieces of a body are matched one after the other, each from where the one before it ended. No two alternatives
 * begin alike, so a mismatch shows in one pass.
 */
const name = String.raw`[^"\\\x00-\x1f]*`
const listOf = (item: string) => `(?:${item}(?:${comma}${item})*)?`
const nested = (value: string) =>
  String.raw`(?:${scalar}|\[${listOf(value)}\]|\{${listOf(`"${name}"${colon}${value}`)}\})`
/** A list of products, as orders have it, is no deeper than this. */
const value = nested(nested(scalar))
const field = `"(?:environment|(?:distinct|anonymous|device|session)_id|timestamp)"${colon}(?:${text}|${number}|null)`
const property = (named: string) => String.raw`(?:"${named}"${colon}${value}(?:${comma}|(?=\})))`
const own = String.raw`(?:\$${name}|${addedProperties}(?="))`

const sticky = (source: string) => new RegExp(source, 'y')
const toEvent = sticky(String.raw`(?:\[|${comma})\{(?:${field}${comma})*"event"${colon}"`)
const eventName = sticky(name)
const toProperties = sticky(String.raw`"(?:${comma}${field})*${comma}"properties"${colon}\{`)
const someOwn = sticky(`${property(own)}*`)
const somePlanned = sticky(`${property(`(?!${own})${name}`)}*`)
const some = sticky(`${property(name)}*`)
const toNext = sticky(String.raw`\}(?:${comma}${field})*\}`)

const close = 0x7d
/** The memory that an expression may use is bounded. */
const maxLength = 2 ** 18

/**
 * The verdicts of events in a body of the usual form; undefined for any other body. Only properties that a plan lists
 * are made into values, so it takes about half of what it takes to parse the body.
 */
export const judgePlain = (json: string, judge: Judge): string[] | undefined => {
  if (json.length > maxLength) return undefined
  let at = 0
  const pass = (expression: RegExp): boolean => {
    expression.lastIndex = at
    const isThere = expression.test(json)
    if (isThere) at = expression.lastIndex
    return isThere
  }
  const take = (expression: RegExp): string => {
    const from = at
    return pass(expression) ? json.slice(from, at) : ''
  }
  const takePlanned = (): string => {
    pass(someOwn)
    let planned = take(somePlanned)
    while (json.charCodeAt(at) !== close && pass(someOwn)) {
      const more = take(somePlanned)
      if (more === '') break
      planned += more
    }
    return planned.slice(0, planned.length - (planned.endsWith(', ') ? 2 : planned.endsWith(',') ? 1 : 0))
  }

  const judges: ReturnType<Judge['ofEvent']>[] = []
  let planned = ''
  while (pass(toEvent)) {
    const byPlan = judge.ofEvent(take(eventName))
    judges.push(byPlan)
    if (!pass(toProperties)) return undefined
    if (typeof byPlan === 'string') pass(some)
    else planned += `${planned && ','}{${byPlan.listsOwn ? take(some) : takePlanned()}}`
    if (!pass(toNext)) return undefined
  }
  if (json.length !== at + 1 || json[at] !== ']') return undefined
  const values = JSON.parse(`[${planned}]`) as Parameters<SchemaJudge['judge']>[0][]
  let next = 0
  return judges.map((byPlan) => (typeof byPlan === 'string' ? byPlan : byPlan.judge(values[next++]!)))
}

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

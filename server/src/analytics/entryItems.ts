import { BLOB, blobValue, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { senderFields } from '../schema/derivedColumns.js'
import type { Parameters } from '../duckdb/runPrepared.js'
import type { JudgedEntry } from '../plan/Judges.js'

/** A TIMESTAMPTZ from Unix milliseconds. */
export const momentSql = (milliseconds: string): string => `make_timestamptz(1000 * ${milliseconds})`

/**
 * A timestamp column from the text `ts`, which is Unix milliseconds or ISO 8601 and was checked when it was accepted.
 * Nearly all texts are in UTC, so they have a branch of their own that needs no calendar.
 */
export const timestampSql = `coalesce(
  CASE WHEN ends_with(ts, 'Z') THEN make_timestamptz(epoch_us(TRY_CAST(ts AS TIMESTAMP)))
    WHEN contains(ts, ':') THEN TRY_CAST(ts AS TIMESTAMPTZ)
    ELSE ${momentSql('TRY_CAST(TRY_CAST(ts AS DOUBLE) AS BIGINT)')} END, received_at)`

/** With more rows at once DuckDB leaves the processor's caches, and takes memory from the system again and again. */
const rowsAtOnce = 20_000

/**
 * DuckDB needs some ten times a document's size to read it: with 256 MiB of memory it can read 16 MiB and cannot read
 * 24. Documents of large events are therefore cut here; `rowsAtOnce` rows of usual size have fewer bytes.
 */
const bytesAtOnce = 10 * 2 ** 20

/** Groups neighbouring entries that are handed to DuckDB together. */
function* partsOf(entries: readonly JudgedEntry[]): Generator<JudgedEntry[]> {
  let [part, rows, bytes]: [JudgedEntry[], number, number] = [[], 0, 0]
  for (const entry of entries) {
    const isFull = rows >= rowsAtOnce || bytes + entry.body.length > bytesAtOnce
    if (isFull && part.length > 0) {
      yield part
      ;[part, rows, bytes] = [[], 0, 0]
    }
    part.push(entry)
    rows += entry.count
    bytes += entry.body.length
  }
  if (part.length > 0) yield part
}

const between = Buffer.from('},')

/**
 * Makes one JSON document of some entries by copying bytes. To hand DuckDB one large value costs this thread a tenth
 * of what a list of values costs, and DuckDB reads it faster, too.
 */
const documentOf = (entries: readonly JudgedEntry[]): Buffer => {
  const parts: Buffer[] = []
  for (const { first, receivedAtMs, target, verdicts, body } of entries) {
    const opening = parts.length === 0 ? '[' : ''
    const about = target === undefined ? '' : `"about":${target},`
    const judged = verdicts === undefined ? '' : `${verdicts},`
    const head = `${opening}{"first":${first},"at_ms":${receivedAtMs},${about}${judged}"items":`
    parts.push(Buffer.from(head), body, between)
  }
  parts[parts.length - 1] = Buffer.from('}]')
  return Buffer.concat(parts)
}

export interface Part extends Parameters {
  /** How many items there are. */
  rows: number
}

/** The parameters of statements over `itemsSql`, part by part. */
export function* itemParts(
  entries: readonly JudgedEntry[],
  environments: readonly string[],
): Generator<Part> {
  for (const part of partsOf(entries)) {
    yield {
      rows: part.reduce((sum, { count }) => sum + count, 0),
      values: { document: blobValue(documentOf(part)), environments: listValue(environments) },
      types: { document: BLOB, environments: LIST(VARCHAR) },
    }
  }
}

/** SQL that is true for an item of an environment that exists. */
export const isOfEnvironment = 'list_contains($environments::VARCHAR[], e.environment)'

/** The columns of an item's verdict: one that is none of these words is a problem. */
export const planSql = `CASE WHEN verdict IN ('valid', 'unplanned') THEN verdict WHEN verdict IS NOT NULL THEN 'invalid' END AS plan_verdict,
  CASE WHEN verdict NOT IN ('valid', 'unplanned') THEN verdict END AS plan_problem`

const sender = Object.fromEntries(senderFields.map((name) => [name, 'VARCHAR']))

/** SQL for the items of `$document`, one in each row, with its sequence, its time of arrival and its verdict, if there is one. */
export const itemsSql = (fields: Record<string, string>): string => {
  const shape = JSON.stringify([
    {
      first: 'BIGINT',
      at_ms: 'BIGINT',
      about: sender,
      verdict: 'VARCHAR',
      verdicts: ['VARCHAR'],
      items: [fields],
    },
  ])
  return `SELECT entry.first + generate_subscripts(entry.items, 1) - 1 AS seq,
    ${momentSql('entry.at_ms')} AS received_at, entry.about AS sender, coalesce(entry.verdict, unnest(entry.verdicts)) AS verdict,
    unnest(entry.items) AS e
  FROM (SELECT unnest(from_json(decode($document::BLOB), '${shape}')) AS entry)`
}

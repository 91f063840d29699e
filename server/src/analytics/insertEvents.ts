import { BIGINT, BLOB, blobValue, type DuckDBConnection, LIST, listValue } from '@duckdb/node-api'
import { automation } from './userAgents.js'
import {
  addressColumns,
  builtInColumns,
  builtInsSql,
  derivedColumns,
  filledColumns,
  givenColumns,
  keptOf,
} from '../schema/derivedColumns.js'
import { dropImportedCopies } from '../schema/imports.js'
import { findSeen, readInsertIds } from './fillWindow.js'
import type { JudgedEntry } from '../plan/Judges.js'
import type { InsertIdWindow } from './InsertIdWindow.js'
import { type Parameters, runPrepared } from '../duckdb/runPrepared.js'
import { momentSql } from '../duckdb/quote.js'

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

/** The parameters of statements over `itemsSql`, part by part. */
export function* itemParts(entries: readonly JudgedEntry[]): Generator<Parameters> {
  for (const part of partsOf(entries)) {
    yield { values: { document: blobValue(documentOf(part)) }, types: { document: BLOB } }
  }
}

/** The columns of an item's verdict: one that is none of these words is a problem. */
export const planSql = `CASE WHEN verdict IN ('valid', 'unplanned') THEN verdict WHEN verdict IS NOT NULL THEN 'invalid' END AS plan_verdict,
  CASE WHEN verdict NOT IN ('valid', 'unplanned') THEN verdict END AS plan_problem`

/** What a request says of its sender. `visitor` is the id of a day, of one who is counted without consent. */
const sender = Object.fromEntries(
  'key bot browser os device language country visitor'.split(' ').map((name) => [name, 'VARCHAR']),
)

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

const items = itemsSql({
  environment: 'VARCHAR',
  event: 'VARCHAR',
  distinct_id: 'VARCHAR',
  anonymous_id: 'VARCHAR',
  device_id: 'VARCHAR',
  session_id: 'VARCHAR',
  timestamp: 'VARCHAR',
  properties: 'JSON',
})

const columns = [...builtInColumns.map(({ column }) => column), ...Object.keys(derivedColumns)]
const given = givenColumns.map((name, at) => `nullif(built_in[${at + 3}], '') AS given_${name}`)
const builtIns = builtInColumns.map(({ column }, at) => `built_in[${at + given.length + 3}] AS ${column}`)
const values = columns.map(
  (column) => `${filledColumns[column] ?? derivedColumns[column] ?? column} AS ${column}`,
)

/** The sender's verdict holds only for events without a user agent of their own; `markAgents` judges the others. */
const botSql = `coalesce(CASE WHEN user_agent IS NULL THEN sender.bot END,
    CASE WHEN device_type = 'bot' THEN '${automation}' END)`

/** A visitor who is counted without consent has no id but the one that the service has made for the day. */
const ownId = (name: string) => `CASE WHEN sender.visitor IS NULL THEN nullif(e.${name}, '') END`

/** A page whose users are to be signed says by an identify alone whose its events are: an event with both ids would link them. */
const distinctIdSql = `CASE WHEN sender.key = 'public' THEN coalesce(nullif(e.anonymous_id, ''), nullif(e.distinct_id, ''))
      ELSE ${ownId('distinct_id')} END`

const insert = `
INSERT INTO analytics.raw.events BY NAME
WITH item AS (${items}), flat AS (
  SELECT seq, received_at, e."timestamp" AS ts, e.environment, e.event,
    ${distinctIdSql} AS distinct_id, coalesce(sender.visitor, ${ownId('anonymous_id')}) AS anonymous_id,
    ${ownId('device_id')} AS device_id, ${ownId('session_id')} AS session_id,
    ${builtInsSql('e.properties', ['insert_id', '$device_type', ...givenColumns.map((name) => `$${name}`)])} AS built_in, e.properties, sender, verdict
  FROM item
), named AS (
  SELECT * EXCLUDE (built_in), nullif(built_in[1], '') AS insert_id, built_in[2] AS device_type, ${[...given, ...builtIns].join(', ')}
  FROM flat
), addressed AS (
  SELECT *, ${addressColumns} FROM named
), filled AS (
  SELECT seq, received_at, ${timestampSql} AS "timestamp", environment, event, distinct_id, anonymous_id, device_id,
    session_id, insert_id, properties, ${values.join(', ')}, ${botSql} AS bot, sender.visitor IS NOT NULL AS anonymous,
    ${planSql}
  FROM addressed
)
SELECT *, ${keptOf} FROM filled`

interface InsertEvents {
  entries: readonly JudgedEntry[]
  window: InsertIdWindow
  /** The imports that are taken back together with these events. */
  undone: readonly string[]
}

/**
 * Writes the events of the newest entries without second copies: of the rows with one name and insert id in one
 * environment only the first stays. Copies are looked for after the write, because there are nearly never any. Gives the insert
 * ids, which the caller remembers once the rows are committed.
 */
export const insertEvents = async (
  connection: DuckDBConnection,
  { entries, window, undone }: InsertEvents,
): Promise<BigUint64Array> => {
  for (const part of itemParts(entries)) await runPrepared(connection, insert, part)
  await dropImportedCopies(connection, entries, undone)
  const { ids, seqs } = await readInsertIds(
    connection,
    `FROM analytics.raw.events WHERE seq >= ${entries[0]!.first}`,
  )
  const copies = await findSeen(connection, window, ids)
  if (copies.length > 0) {
    await connection.run(
      'DELETE FROM analytics.raw.events WHERE seq IN (SELECT unnest($seqs))',
      {
        seqs: listValue(copies.map((at) => seqs[at]!)),
      },
      { seqs: LIST(BIGINT) },
    )
  }
  return ids
}

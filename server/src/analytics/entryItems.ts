import { BLOB, blobValue, type DuckDBBlobValue } from '@duckdb/node-api'
import type { LogEntry } from '../wal/segment.js'

/** A TIMESTAMPTZ from Unix milliseconds. */
export const momentSql = (milliseconds: string): string => `make_timestamptz(1000 * ${milliseconds})`

/**
 * A timestamp column from the text `ts`: Unix milliseconds or ISO 8601, checked when it was accepted.
 * Texts in UTC, which are nearly all, take the way that needs no calendar.
 */
export const timestampSql = `coalesce(
  CASE WHEN ends_with(ts, 'Z') THEN make_timestamptz(epoch_us(TRY_CAST(ts AS TIMESTAMP)))
    WHEN contains(ts, ':') THEN TRY_CAST(ts AS TIMESTAMPTZ)
    ELSE ${momentSql('TRY_CAST(TRY_CAST(ts AS DOUBLE) AS BIGINT)')} END, received_at)`

const between = Buffer.from('},')

/**
 * A run of entries as one JSON document, made by copying bytes. Handing DuckDB one large value costs
 * this thread a tenth of handing it a list of them, and DuckDB reads it faster too.
 */
export const documentOf = (entries: readonly LogEntry[]): DuckDBBlobValue => {
  const parts: Buffer[] = []
  for (const { first, receivedAtMs, target, body } of entries) {
    const opening = parts.length === 0 ? '[' : ''
    const about = target === undefined ? '' : `"about":${target},`
    const head = `${opening}{"first":${first},"at_ms":${receivedAtMs},${about}"items":`
    parts.push(Buffer.from(head), body, between)
  }
  parts[parts.length - 1] = Buffer.from('}]')
  return blobValue(Buffer.concat(parts))
}

export const documentType = BLOB

/** The items of `$document`, one a row, each with its sequence and its time of arrival. */
export const itemsSql = (fields: Record<string, string>): string => {
  const shape = JSON.stringify([
    { first: 'BIGINT', at_ms: 'BIGINT', about: { bot: 'VARCHAR' }, items: [fields] },
  ])
  return `SELECT entry.first + generate_subscripts(entry.items, 1) - 1 AS seq,
    ${momentSql('entry.at_ms')} AS received_at, entry.about.bot AS sender_bot, unnest(entry.items) AS e
  FROM (SELECT unnest(from_json(decode($document), '${shape}')) AS entry)`
}

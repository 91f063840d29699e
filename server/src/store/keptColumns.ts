import { foreignReferrer, pathOf } from './urlParts.js'

/** The id that an event names: the user's, else the visitor's. */
const id = 'coalesce(distinct_id, anonymous_id)'

/**
 * Hashes that stand for an event's id and its session, as those of `id_map` and of the table of sessions. An answer
 * reads, compares and groups eight bytes where the texts have about forty. Files of the archive have them, too, and a
 * mark in their names, because another DuckDB may hash differently.
 */
const keys = {
  id_key: `CASE WHEN ${id} IS NOT NULL THEN hash(environment, ${id}) END`,
  session_key: `CASE WHEN session_id IS NOT NULL THEN hash(environment, session_id) END`,
} as const

/** `touch` says whether something brought the visitor here: a referrer from elsewhere, or a campaign. */
const touch = `(${foreignReferrer('referrer', 'url')} IS NOT NULL OR utm_source IS NOT NULL
  OR utm_medium IS NOT NULL OR utm_campaign IS NOT NULL)`

/** Columns of `raw.events` that each answer would else work out anew for each event: their types, and their SQL. */
export const keptColumns = {
  path: { type: 'VARCHAR', sql: pathOf('url') },
  touch: { type: 'BOOLEAN', sql: touch },
  id_key: { type: 'UBIGINT', sql: keys.id_key },
  session_key: { type: 'UBIGINT', sql: keys.session_key },
} as const

const columns = Object.entries(keptColumns).map(([name, { sql }]) => [name, sql] as const)
const list = (of: typeof columns, as: (name: string, sql: string) => string, by = ', ') =>
  of.map(([name, sql]) => as(name, sql)).join(by)
const named = (name: string, sql: string) => `${sql} AS ${name}`

/** The kept columns, for a SELECT from events that have none of them. */
export const keptOf = list(columns, named)
/** Whether one of an event's kept columns is not what its other columns say. */
export const keptWrongly = list(columns, (name, sql) => `${name} IS DISTINCT FROM ${sql}`, ' OR ')

const ofKeys = columns.filter(([name]) => name in keys)
export const keyNames = ofKeys.map(([name]) => name).join(', ')
/** The keys, for a SELECT from events without them. */
export const keysOf = list(ofKeys, named)
/** The assignments of an UPDATE that makes the keys anew. */
export const keyChanges = list(ofKeys, (name, sql) => `${name} = ${sql}`)

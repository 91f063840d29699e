import type { DuckDBConnection } from '@duckdb/node-api'
import { applyImports, undoneIn } from '../schema/imports.js'
import { applySaved, savedEntries } from '../saved/savedSchema.js'
import { applyPlans, type JudgedEntry, Judges } from '../plan/Judges.js'
import { planKind } from '../plan/readPlan.js'
import { lastOf, type LogEntry } from '../wal/segment.js'
import { momentSql, pointerSql } from '../duckdb/quote.js'
import { runPrepared, jsonRows } from '../duckdb/runPrepared.js'
import { applyPersons, readIdentityOperations, readIdRows, writeIdRows } from './applyPersons.js'
import { judgeHourly } from '../schema/suspects.js'
import { applySessions } from '../schema/applySessions.js'
import { reasonsAside, signatureTrait } from './proveIdentity.js'
import { splitArray } from '../http/json/sliceItems.js'
import type { InsertIdWindow } from './InsertIdWindow.js'
import { insertEvents, itemParts, itemsSql, planSql, timestampSql } from './insertEvents.js'
import { keyOf, resolveIdentity } from './resolveIdentity.js'
import { sessionTables } from '../schema/sessionTable.js'
import { readUserAgent, judgeUserAgent } from './userAgents.js'

const judged = jsonRows({
  userAgent: 'VARCHAR',
  bot: 'VARCHAR',
  browser: 'VARCHAR',
  os: 'VARCHAR',
  device: 'VARCHAR',
})

/** Says of the events in a range that have a property `$user_agent` what that tells: bot, browser, system, device. */
const markAgents = async (connection: DuckDBConnection, range: string): Promise<void> => {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT user_agent FROM analytics.raw.events WHERE ${range} AND user_agent IS NOT NULL`,
  )
  const rows = (reader.getRows() as [string][]).flatMap(([userAgent]) => {
    const found = { bot: judgeUserAgent(userAgent), ...readUserAgent(userAgent) }
    return Object.values(found).some(Boolean) ? [{ userAgent, ...found }] : []
  })
  if (rows.length === 0) return
  await connection.run(
    `UPDATE analytics.raw.events e SET bot = coalesce(j.bot, e.bot), browser = coalesce(e.browser, j.browser),
       os = coalesce(e.os, j.os), device = coalesce(e.device, j.device) FROM ${judged} j
     WHERE ${range} AND e.user_agent = j."userAgent"`,
    { rows: JSON.stringify(rows) },
  )
}

/** No person sees ten pages within one second of a visit. */
const pagesASecond = 10
/** A page keeps its events for at most two seconds before it sends them, so the events of one second arrive within this time. */
const apartMs = 5000

/**
 * Marks the newest events of a visit that is too fast for a person: those that arrived up to `apartMs` before these. The
 * times of history may be rounded to a minute or a day.
 */
const markSpeed = async (connection: DuckDBConnection, { first, receivedAtMs }: LogEntry): Promise<void> => {
  const recent = `received_at >= ${momentSql(`${receivedAtMs - apartMs}::BIGINT`)}`
  const visit = 'environment, coalesce(session_id, device_id)'
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT ${visit} FROM analytics.raw.events
     WHERE ${recent} AND imported IS NULL AND event = '$pageview' AND coalesce(session_id, device_id) IS NOT NULL
     GROUP BY ${visit}, time_bucket(INTERVAL 1 SECOND, "timestamp")
     HAVING count(*) >= ${pagesASecond} AND max(seq) >= ${first}`,
  )
  const rows = reader.getRows().map(([environment, visitId]) => ({ environment, visit: visitId }))
  if (rows.length === 0) return
  const marked = await connection.runAndReadAll(
    `UPDATE analytics.raw.events SET bot = 'impossible speed'
     WHERE ${recent} AND imported IS NULL AND bot IS NULL
       AND (${visit}) IN (SELECT (environment, visit) FROM ${jsonRows({ environment: 'VARCHAR', visit: 'VARCHAR' })})
     RETURNING session_key`,
    { rows: JSON.stringify(rows) },
  )
  const keys = new Set(marked.getRows().flatMap(([key]) => (key === null ? [] : [key as bigint])))
  if (keys.size === 0) return
  // Unfolded events tell it to their sessions themselves; of folded ones the session knows.
  for (const table of sessionTables) {
    await connection.run(
      `UPDATE analytics.raw.${table} SET bot = least(bot, 'impossible speed') WHERE session_key IN (${[...keys].join(', ')})`,
    )
  }
}

/** Marks bots among the events that were just written: all from the first of these entries on. */
const markBots = async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<void> => {
  await markAgents(connection, `seq >= ${entries[0]!.first}`)
  await markSpeed(connection, entries[0]!)
}

/** After this time without an event a new session begins, as by default in the library. */
const idleMs = 30 * 60_000

/** An event may arrive this much later than it happened and still find the session that it belongs to. */
const lateMs = 5 * 60_000

/**
 * Gives each new event of a visitor without consent its session: that of an event of the same visitor up to half an
 * hour before or after it. Their browsers keep no session, so the service makes them.
 */
const joinSql = (first: number, fromMs: number) => `
UPDATE analytics.raw.events e SET session_id = joined.session_id,
  session_key = hash(e.environment, joined.session_id) FROM (
  WITH recent AS (
    SELECT seq, environment, anonymous_id, session_id, "timestamp" FROM analytics.raw.events
    WHERE anonymous AND received_at >= ${momentSql(`${fromMs}::BIGINT`)}
      AND anonymous_id IN (SELECT anonymous_id FROM analytics.raw.events WHERE anonymous AND seq >= ${first})
  ), apart AS (
    SELECT *, coalesce(epoch_ms("timestamp") - epoch_ms(lag("timestamp") OVER visitor) > ${idleMs}, true) AS begins
    FROM recent WINDOW visitor AS (PARTITION BY environment, anonymous_id ORDER BY "timestamp", seq)
  ), numbered AS (
    SELECT *, count(*) FILTER (begins) OVER visitor AS visit
    FROM apart WINDOW visitor AS (PARTITION BY environment, anonymous_id ORDER BY "timestamp", seq)
  )
  SELECT seq, coalesce(min(session_id) OVER visit, anonymous_id || '-' || min(seq) OVER visit) AS session_id
  FROM numbered WINDOW visit AS (PARTITION BY environment, anonymous_id, visit)
) joined WHERE e.seq = joined.seq AND e.seq >= ${first}`

/** Joins the newest events of visitors without consent to sessions: all from the first of these entries on. */
const joinVisits = async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<void> => {
  const anonymous = entries.filter(({ target }) => target?.includes('"visitor":'))
  if (anonymous.length === 0) return
  const { first, receivedAtMs } = anonymous[0]!
  await connection.run(joinSql(first, receivedAtMs - idleMs - lateMs))
}

const items = itemsSql({
  environment: 'VARCHAR',
  distinct_id: 'VARCHAR',
  timestamp: 'VARCHAR',
  traits: 'JSON',
})

/**
 * Writes one row for each trait of an identify; an identify without traits gets one row without a name. The first of
 * them has the verdict of the plan.
 */
const statement = `
INSERT INTO analytics.raw.traits
WITH item AS (${items}), flat AS (
  SELECT seq, received_at, e.environment, e.distinct_id, e."timestamp" AS ts, e.traits, verdict
  FROM item
), named AS (
  SELECT * EXCLUDE (verdict), unnest(names) AS name,
    CASE WHEN generate_subscripts(names, 1) = 1 THEN verdict END AS verdict
  FROM (
    SELECT *, CASE WHEN len(given) > 0 THEN given ELSE [NULL] END AS names
    FROM (SELECT *, list_filter(json_keys(traits), lambda key: key <> '${signatureTrait}') AS given FROM flat)
  )
)
SELECT seq, ${timestampSql}, environment, distinct_id, name, json_extract(traits, ${pointerSql('name')}), ${planSql}
FROM named`

const insertTraits = async (connection: DuckDBConnection, entries: readonly JudgedEntry[]): Promise<void> => {
  for (const part of itemParts(entries)) await runPrepared(connection, statement, part)
}

const asideRows = jsonRows({
  seq: 'BIGINT',
  at_ms: 'BIGINT',
  kind: 'VARCHAR',
  body: 'VARCHAR',
  reason: 'VARCHAR',
})

/** Keeps what must not say who somebody is, and does nothing else with it. */
const setAside = async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<void> => {
  const rows = entries.flatMap(({ kind, first, receivedAtMs, body, target }) =>
    splitArray(body).map((row, at) => ({
      seq: first + at,
      at_ms: receivedAtMs,
      kind,
      body: row.toString(),
      reason: reasonsAside.get(target),
    })),
  )
  await connection.run(
    `INSERT INTO analytics.raw.rejected (seq, received_at, kind, body, reason)
     SELECT seq, ${momentSql('at_ms')}, kind, body, reason FROM ${asideRows}`,
    { rows: JSON.stringify(rows) },
  )
}

interface Store {
  window: InsertIdWindow
  judges: Judges
}

/** Writes what tells of people, and gives the insert ids of the events. */
const applyPeople = async (
  connection: DuckDBConnection,
  all: readonly LogEntry[],
  { window, judges }: Store,
): Promise<BigUint64Array> => {
  let entries = all.filter(({ kind }) => peopleKinds.has(kind))
  const aside = entries.filter(({ target }) => reasonsAside.has(target))
  if (aside.length > 0) {
    await setAside(connection, aside)
    entries = entries.filter(({ target }) => !reasonsAside.has(target))
  }
  if (entries.length === 0) return new BigUint64Array()
  const first = entries[0]!.first
  const tracked = entries.filter((entry) => entry.kind === 'track')
  const identified = entries.filter((entry) => entry.kind === 'identify')
  const ids =
    tracked.length > 0
      ? await insertEvents(connection, {
          entries: await judges.judge(connection, tracked),
          window,
          undone: undoneIn(all),
        })
      : new BigUint64Array()
  if (tracked.length > 0) {
    await joinVisits(connection, tracked)
    await markBots(connection, entries)
    await applySessions(connection, first)
    await judgeHourly(connection, tracked.at(-1)!.receivedAtMs)
  }
  if (identified.length > 0) await insertTraits(connection, await judges.judge(connection, identified))
  const operations = await readIdentityOperations(connection, entries)
  const known = operations.length > 0 ? await readIdRows(connection, operations) : []
  const before = new Map(known.map((row) => [keyOf(row.environment, row.distinctId), row.personId]))
  const changed = resolveIdentity(operations, known)
  const mends = identified.length > 0 || changed.length > 0
  if (mends) await writeIdRows(connection, changed, before)
  await applyPersons(connection, { first, mends })
  return ids
}

/** An erase is an entry, too, so that it has a place among the others; it is carried out before the store is opened. */
const peopleKinds = new Set(['track', 'identify', 'alias'])

/**
 * Writes a batch of analytics entries inside the caller's transaction. Gives a function that the caller calls after
 * the commit: it remembers the insert ids.
 */
export const applyAnalytics = (store: Omit<Store, 'judges'>) => {
  const judges = new Judges()
  return async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<() => Promise<void>> => {
    const plans = entries.filter((entry) => entry.kind === planKind)
    const saved = entries.filter((entry) => savedEntries.has(entry.kind))
    const newest = entries.at(-1)!
    if (plans.length > 0) await applyPlans(connection, plans)
    if (saved.length > 0) await applySaved(connection, saved)
    const ids = await applyPeople(connection, entries, { ...store, judges })
    await applyImports(connection, entries)
    return () => store.window.add({ ids, through: lastOf(newest), atMs: newest.receivedAtMs })
  }
}

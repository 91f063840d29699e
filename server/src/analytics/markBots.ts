import type { DuckDBConnection } from '@duckdb/node-api'
import { jsonRows } from '../duckdb/runPrepared.js'
import { momentSql } from './entryItems.js'
import { sessionTables } from '../schema/sessionTable.js'
import type { LogEntry } from '../wal/segment.js'
import { readUserAgent, judgeUserAgent } from './userAgents.js'

const judged = jsonRows({
  userAgent: 'VARCHAR',
  bot: 'VARCHAR',
  browser: 'VARCHAR',
  os: 'VARCHAR',
  device: 'VARCHAR',
})

/** Says of the events in a range that have a property `$user_agent` what that tells: bot, browser, system, device. */
export const markAgents = async (connection: DuckDBConnection, range: string): Promise<void> => {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT user_agent FROM analytics.raw.events WHERE ${range} AND user_agent IS NOT NULL`,
  )
  const rows = (reader.getRows() as [string][]).flatMap(([userAgent]) => {
    const found = { bot: judgeUserAgent(userAgent), ...readUserAgent(userAgent) }
    return Object.values(found).some(Boolean) ? [{ userAgent, ...found }] : []
  })
  if (rows.length === 0) return
  await connection.run(
    `UPDATE analytics.raw.events e SET bot = coalesce(j.bot, e.bot), browser = j.browser,
       os = coalesce(e.os, j.os), device = coalesce(e.device, j.device) FROM ${judged} j
     WHERE ${range} AND e.user_agent = j."userAgent"`,
    { rows: JSON.stringify(rows) },
  )
}

/** No person sees ten pages within one second of a visit. */
const pagesASecond = 10
/** A page keeps its events for at most two seconds before it sends them, so the events of one second arrive within this time. */
const apartMs = 5000

/** Marks the newest events of a visit that is too fast for a person: those that arrived up to `apartMs` before these. */
const markSpeed = async (connection: DuckDBConnection, { first, receivedAtMs }: LogEntry): Promise<void> => {
  const recent = `received_at >= ${momentSql(`${receivedAtMs - apartMs}::BIGINT`)}`
  const visit = 'environment, coalesce(session_id, device_id)'
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT ${visit} FROM analytics.raw.events
     WHERE ${recent} AND event = '$pageview' AND coalesce(session_id, device_id) IS NOT NULL
     GROUP BY ${visit}, time_bucket(INTERVAL 1 SECOND, "timestamp")
     HAVING count(*) >= ${pagesASecond} AND max(seq) >= ${first}`,
  )
  const rows = reader.getRows().map(([environment, visitId]) => ({ environment, visit: visitId }))
  if (rows.length === 0) return
  const marked = await connection.runAndReadAll(
    `UPDATE analytics.raw.events SET bot = 'impossible speed'
     WHERE ${recent} AND bot IS NULL
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
export const markBots = async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<void> => {
  await markAgents(connection, `seq >= ${entries[0]!.first}`)
  await markSpeed(connection, entries[0]!)
}

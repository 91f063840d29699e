import type { DuckDBConnection } from '@duckdb/node-api'
import { momentSql, viewSql } from '../duckdb/quote.js'
import type { LogEntry } from '../wal/segment.js'
import type { Alert, SealedReceiver } from './alert.js'

/** What an alert has found last. */
export interface State {
  status: 'ok' | 'firing' | 'unknown'
  /** Since when it is firing, or no more. */
  sinceMs: number
  /** The end of the time that was judged last. */
  untilMs: number
  value: number | null
  expected: string
  /** Why it could not be judged. */
  error: string | null
}

export type MessageKind = 'fired' | 'recovered' | 'failed' | 'digest' | 'test'

/** What is sent; each of the alert's receivers gets it. */
export interface Message {
  id: string
  kind: MessageKind
  alert: string
  question: string
  value: number | null
  expected: string | null
  since: string
  from: string
  until: string
  timezone: string
  link: string | null
  /** The parameters of the link's address, by which an erase finds a person. */
  search: string | null
  text: string
  made_at: string
}

/**
 * A row of the log of the kind `alert`. `judged` counts only where the alert is still of the version that it is about, and
 * `tried` only where it is about the next try: of two processes that say the same, or of one that says it twice, the first
 * counts, in every store.
 */
export type AlertNews =
  | { kind: 'judged'; name: string; version: number; state: State; message?: Message }
  | {
      kind: 'tried'
      name: string
      id: string
      receiver: number
      attempt: number
      error: string | null
      nextMs: number | null
      atMs: number
    }

/** So many messages of an alert are kept; older ones go, sent or not. */
const mostMessages = 50

/** Keeps the receivers of an alert that was saved, and gives what everybody may know of it; removes it where there is none. */
export const keepAlert = async (
  connection: DuckDBConnection,
  { name, was, value }: { name: string; was?: string | null; value: object | null },
  { user, atMs, sequence }: { user: string; atMs: number; sequence: number },
): Promise<object | null> => {
  const alert = value as (Omit<Alert, 'to'> & { to: readonly SealedReceiver[] | string }) | null
  const receiversOf = async (other: string) => {
    const reader = await connection.runAndReadAll(
      'SELECT receivers::VARCHAR FROM analytics.raw.alerts WHERE name = $1',
      [other],
    )
    return JSON.parse((reader.getRows()[0]?.[0] as string | undefined) ?? '[]') as SealedReceiver[]
  }
  const receivers =
    alert === null ? [] : typeof alert.to === 'string' ? await receiversOf(alert.to) : alert.to
  await connection.run('DELETE FROM analytics.raw.alerts WHERE name IN ($1, $2)', [name, was ?? name])
  if (alert === null) {
    await connection.run('DELETE FROM analytics.raw.alert_messages WHERE name = $1', [name])
    return null
  }
  if (typeof was === 'string')
    await connection.run('UPDATE analytics.raw.alert_messages SET name = $1 WHERE name = $2', [name, was])
  if (alert.paused === true)
    await connection.run('UPDATE analytics.raw.alert_messages SET next_at = NULL WHERE name = $1', [name])
  const shown = { ...alert, to: receivers.map(({ shown: known }) => known) }
  await connection.run(
    `INSERT INTO analytics.raw.alerts
     VALUES ($1, $2::JSON, $3::JSON, $4::BIGINT, NULL, ${momentSql('$5::BIGINT')}, $6)`,
    [name, JSON.stringify(shown), JSON.stringify(receivers), sequence, atMs, user],
  )
  return shown
}

type Judged = Extract<AlertNews, { kind: 'judged' }>
type Tried = Extract<AlertNews, { kind: 'tried' }>

const applyJudged = async (
  connection: DuckDBConnection,
  { name, version, state, message }: Judged,
  sequence: number,
) => {
  const changed = await connection.runAndReadAll(
    `UPDATE analytics.raw.alerts SET version = $3::BIGINT, state = $4::JSON
     WHERE name = $1 AND version = $2::BIGINT RETURNING receivers::VARCHAR`,
    [name, version, sequence, JSON.stringify(state)],
  )
  const receivers = changed.getRows()[0]?.[0] as string | undefined
  if (receivers === undefined || message === undefined) return
  for (const [at, receiver] of (JSON.parse(receivers) as SealedReceiver[]).entries())
    await connection.run(
      `INSERT INTO analytics.raw.alert_messages
       VALUES ($1, $2::INTEGER, $3, $4::JSON, $5::JSON, 0, ${momentSql('$6::BIGINT')}, NULL, NULL, $7::BIGINT)`,
      [
        message.id,
        at,
        name,
        JSON.stringify(message),
        JSON.stringify(receiver),
        Date.parse(message.made_at),
        sequence,
      ],
    )
  await connection.run(
    `DELETE FROM analytics.raw.alert_messages WHERE name = $1 AND (id, receiver) NOT IN (
       SELECT (id, receiver) FROM analytics.raw.alert_messages WHERE name = $1
       ORDER BY seq DESC, receiver LIMIT ${mostMessages})`,
    [name],
  )
}

const applyTried = async (
  connection: DuckDBConnection,
  { id, receiver, attempt, error, nextMs, atMs }: Tried,
) => {
  await connection.run(
    `UPDATE analytics.raw.alert_messages SET attempts = $3::INTEGER, error = $4,
       next_at = CASE WHEN next_at IS NOT NULL THEN ${momentSql('$5::BIGINT')} END, sent_at = CASE WHEN $4 IS NULL THEN ${momentSql('$6::BIGINT')} END
     WHERE id = $1 AND receiver = $2::INTEGER AND attempts = $3::INTEGER - 1 AND sent_at IS NULL`,
    [id, receiver, attempt, error, nextMs, atMs],
  )
}

/** Writes what alerts have found inside the caller's transaction. */
export const applyAlertNews = async (
  connection: DuckDBConnection,
  { body, first }: LogEntry,
): Promise<void> => {
  for (const [at, news] of (JSON.parse(body.toString()) as AlertNews[]).entries()) {
    if (news.kind === 'judged') await applyJudged(connection, news, first + at)
    if (news.kind === 'tried') await applyTried(connection, news)
  }
}

const stateMoment = (field: string) => `make_timestamptz(1000 * (a.state->>'${field}')::BIGINT)`

/** The tables of what alerts have found, and their views. */
export const alertsSchema = `
CREATE TABLE IF NOT EXISTS analytics.raw.alerts (
  name VARCHAR, value JSON, receivers JSON, version BIGINT, state JSON, saved_at TIMESTAMPTZ, saved_by VARCHAR
);
CREATE TABLE IF NOT EXISTS analytics.raw.alert_messages (
  id VARCHAR, receiver INTEGER, name VARCHAR, value JSON, sent_to JSON,
  attempts INTEGER, next_at TIMESTAMPTZ, sent_at TIMESTAMPTZ, error VARCHAR, seq BIGINT
);
${viewSql({
  name: 'alerts',
  comment: 'The alerts and digests that users have made, one a row, with what was found last.',
  from: 'analytics.raw.alerts a',
  columns: [
    ['name', 'a.name', 'What it is called.'],
    ['definition', 'a.value', 'What is watched, and who is told; of a webhook its host alone.'],
    [
      'status',
      `CASE WHEN (a.value->>'paused')::BOOLEAN THEN 'paused' ELSE coalesce(a.state->>'status', 'new') END`,
      'new, ok, firing, unknown (there is nothing to judge by) or paused.',
    ],
    ['since', stateMoment('sinceMs'), 'Since when it has this status.'],
    ['value', `(a.state->>'value')::DOUBLE`, 'What it found last.'],
    ['expected', `a.state->>'expected'`, 'What was expected.'],
    [
      'judged_until',
      stateMoment('untilMs'),
      'The end of the time that was judged last, as far as it was noted: once an hour.',
    ],
    ['error', `a.state->>'error'`, 'Why it could not be judged.'],
    ['changed_by', 'a.saved_by', 'The user who saved it last.'],
  ],
})}
${viewSql({
  name: 'alert_messages',
  comment: 'The newest messages of alerts, one a row for each receiver.',
  from: 'analytics.raw.alert_messages m',
  columns: [
    ['id', 'm.id', 'The id of the message, which all of its receivers and tries have.'],
    ['alert', 'm.name', 'The alert.'],
    ['kind', `m.value->>'kind'`, 'fired, recovered, failed or digest.'],
    ['made_at', `(m.value->>'made_at')::TIMESTAMPTZ`, 'When it was made.'],
    ['text', `m.value->>'text'`, 'What it says.'],
    [
      'receiver',
      `coalesce(m.sent_to->>'$.shown.webhook', m.sent_to->>'$.shown.mail')`,
      'The host of a webhook, or an e-mail address.',
    ],
    ['attempts', 'm.attempts', 'How often it was tried.'],
    ['sent_at', 'm.sent_at', 'When the receiver took it.'],
    ['next_at', 'm.next_at', 'When it is tried again; NULL where it is not.'],
    ['error', 'm.error', 'Why the last try failed.'],
  ],
})}
`

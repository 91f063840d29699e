import type { DuckDBConnection } from '@duckdb/node-api'
import { alertKind } from '../alerts/alert.js'
import { applyAlertNews, keepAlert } from '../alerts/alertsSchema.js'
import { viewSql } from '../duckdb/quote.js'
import { exclusionKind, applyExclusions } from '../schema/suspects.js'
import type { LogEntry } from '../wal/segment.js'
import { Unstorable } from '../wal/rejected.js'

/** The body of `POST /saved`, which is a row of the log. */
export interface SavedItem {
  kind: SavedKind
  name: string
  /** NULL removes it. */
  value: object | null
  /** The name until now, where it is renamed. */
  was?: string | null
}

/** Lists of all are shown on the screens. */
const mostOfKind = 500

/** Two who change a board at once would each undo what the other did: the later one is refused, and sees it first. */
const checkVersion = async (connection: DuckDBConnection, name: string, value: object): Promise<void> => {
  const reader = await connection.runAndReadAll(
    `SELECT (value->>'version')::INTEGER FROM analytics.raw.saved WHERE kind = 'board' AND name = $1`,
    [name],
  )
  const version = Number(reader.getRows()[0]?.[0] ?? 0)
  if ((value as { version: number }).version !== version + 1)
    throw new Unstorable('request', 'Somebody else has changed or removed this board meanwhile.')
}

const keep = async (
  connection: DuckDBConnection,
  { kind, name, value: given, was }: SavedItem,
  by: { user: string; atMs: number; sequence: number },
): Promise<void> => {
  if (kind === 'board' && given !== null) await checkVersion(connection, name, given)
  await connection.run('DELETE FROM analytics.raw.saved WHERE kind = $1 AND name IN ($2, $3)', [
    kind,
    name,
    was ?? name,
  ])
  const value =
    kind === 'alert' ? await keepAlert(connection, { name, value: given, was: was ?? null }, by) : given
  if (value === null) return
  if (kind === 'goal' && typeof was === 'string')
    await connection.run(
      `UPDATE analytics.raw.saved s SET value = json_merge_patch(value, json_object('answers',
        [json_merge_patch(value->'$.answers[0]', json_object('goal', $1::VARCHAR))]))
      WHERE kind = 'metric' AND ${goalOf} = $2`,
      [name, was],
    )
  const reader = await connection.runAndReadAll(
    'SELECT count(*) >= $2::INTEGER FROM analytics.raw.saved WHERE kind = $1',
    [kind, mostOfKind],
  )
  if (reader.getRows()[0]![0] === true)
    throw new Unstorable('request', `There are ${mostOfKind} of the kind ${kind}: remove one first.`)
  await connection.run(
    'INSERT INTO analytics.raw.saved VALUES ($1, $2, $3::JSON, $4, make_timestamptz(1000 * $5::BIGINT))',
    [kind, name, JSON.stringify(value), by.user, by.atMs],
  )
}

/** Entries of the log about what is saved. */
export const savedEntries: ReadonlySet<string> = new Set(['save', alertKind])

/** Writes what users have saved, and what became of it, inside the caller's transaction. What was accepted last counts. */
export const applySaved = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<void> => {
  for (const entry of entries) {
    if (entry.kind === alertKind) {
      await applyAlertNews(connection, entry)
      continue
    }
    const { body, target, receivedAtMs, first } = entry
    const { user } = JSON.parse(target!) as { user: string }
    for (const [at, item] of (JSON.parse(body.toString()) as SavedItem[]).entries()) {
      await keep(connection, item, { user, atMs: Math.round(receivedAtMs), sequence: first + at })
      if (item.kind === exclusionKind) await applyExclusions(connection, receivedAtMs)
    }
  }
}

export const savedKinds = [
  'goal',
  'view',
  'segment',
  'annotation',
  'link',
  'board',
  'metric',
  'alert',
  exclusionKind,
] as const
export type SavedKind = (typeof savedKinds)[number]

/** The goal that a metric is of. */
const goalOf = "(s.value->>'$.answers[0].goal')"

/** The table and views of what users have saved. */
export const savedSchema = `
CREATE TABLE IF NOT EXISTS analytics.raw.saved (
  kind VARCHAR, name VARCHAR, value JSON, changed_by VARCHAR, changed_at TIMESTAMPTZ
);
${viewSql({
  name: 'saved',
  comment:
    'The goals, views, segments, annotations, boards, metrics, links for guests, alerts and exclusions that users have saved, one a row.',
  from: 'analytics.raw.saved s',
  columns: [
    ['kind', 's.kind', 'goal, view, segment, annotation, board, metric, link, alert or exclusion.'],
    [
      'name',
      's.name',
      'What it is called; of an annotation and a board an id, of an exclusion the environment.',
    ],
    [
      'value',
      's.value',
      'As it was sent to /saved; of a link also the hash of its token, of an alert’s webhooks the host alone.',
    ],
    ['changed_by', 's.changed_by', 'The user who saved it last.'],
    ['changed_at', 's.changed_at', 'When that was.'],
  ],
})}
${viewSql({
  name: 'metrics',
  comment: 'The figures that are agreed on, one a row: whoever is asked for one by its name gives this one.',
  from: `analytics.raw.saved s WHERE s.kind = 'metric' AND (${goalOf} IS NULL
    OR EXISTS (SELECT 1 FROM analytics.raw.saved g WHERE g.kind = 'goal' AND g.name = ${goalOf}))`,
  columns: [
    ['name', 's.name', 'What it is called.'],
    ['definition', "s.value->>'text'", 'What it counts, in words.'],
    ['owner', "s.value->>'owner'", 'Who answers for it.'],
    ['since', "(s.value->>'since')::DATE", 'Since when it is agreed on.'],
    ['answer', "s.value->'$.answers[0]'", 'What POST /answer gives it by, without the time.'],
  ],
})}
`

/** The addresses of a view, a link, or a board and its cards, one behind the other. */
const searches = `concat_ws('&', t.value->>'search', array_to_string(t.value->>'$.cards[*].search', '&'))`
/** `value` with its signs of percent read twice: once for the address, once for the parts of a filter. */
const address = `lower('&' || url_decode(url_decode(replace(${searches}, '+', ' '))) || '&')`
const bounds = [
  ['|', '|'],
  ['|', '&'],
  ['&id=', '&'],
] as const
const places = bounds.map(
  ([before, after]) => `contains(${address}, '${before}' || lower(x.id) || '${after}')`,
)

/** A shorter id may be a number or a word of any text; in an address and as a goal's value it counts all the same. */
const minTellingLength = 4
const fields = [
  'event',
  'property',
  'value',
  'text',
  'title',
  'owner',
  'answers',
  'cards',
  'figures',
] as const
/** What a link, the cards of a board, or an alert ask. */
const inAnswers = `contains(lower(concat(t.value->>'answers', t.value->>'cards', t.value->>'figures')), lower(to_json(x.id)::VARCHAR))`
const letter = String.raw`[\p{L}\p{N}_]`
const words = `lower(concat_ws(chr(10), t.name, ${fields.map((name) => `t.value->>'${name}'`).join(', ')}, ${address}))`
const asWord = `(length(x.id) >= ${minTellingLength}
  AND regexp_matches(${words}, '(^|[^${letter.slice(1)})' || regexp_escape(lower(x.id)) || '([^${letter.slice(1)}|$)'))`

/**
 * Whether a row `t` of the table names an id `x.id`: a goal by its value, a view or a card by a filter or the page of a
 * person, a link or a card by a value in what it asks, and each by a whole word of its name, of a text or of an
 * address; in any case, because filters compare so.
 */
export const namesId = `(lower(t.value->>'value') = lower(x.id) OR ${places.join(' OR ')} OR ${inAnswers} OR ${asWord})`

const decode = (text: string): string => {
  const bytes = Buffer.from(text).toString('latin1')
  const read = bytes.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
  return Buffer.from(read, 'latin1').toString()
}

const before = new RegExp(`${letter}$`, 'u')
const after = new RegExp(`^${letter}`, 'u')
const isWordOf = (text: string, id: string): boolean => {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (!before.test(text.slice(0, at)) && !after.test(text.slice(at + id.length))) return true
  return false
}

/** What `namesId` says, of what is in no table. */
export const doesNameId = ({ name, value }: { name: string; value: object }, asWritten: string): boolean => {
  const id = asWritten.toLowerCase()
  const texts = value as Record<string, unknown>
  if (typeof texts['value'] === 'string' && texts['value'].toLowerCase() === id) return true
  const cards = (texts['cards'] ?? []) as readonly { search?: string }[]
  const shown = JSON.stringify([texts['answers'], texts['figures'], cards]).toLowerCase()
  if (shown.includes(JSON.stringify(id))) return true
  const all = [texts as { search?: string }, ...cards].flatMap(({ search }) => search ?? [])
  const decoded = `&${decode(decode(all.join('&').replaceAll('+', ' ')))}&`.toLowerCase()
  if (bounds.some(([left, right]) => decoded.includes(left + id + right))) return true
  return (
    [...id].length >= minTellingLength &&
    [name, decoded, shown, ...fields.map((field) => texts[field])].some(
      (text) => typeof text === 'string' && isWordOf(text.toLowerCase(), id),
    )
  )
}

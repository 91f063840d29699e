import { answer } from './Answer.js'
import { conditionsOfEvents, inPeriod, personName, segmentOf } from './conditions.js'
import { figures } from './overview.js'
import { count, flag, optional, oneOf, type Scope, scope, text, timezone, unit } from './Parameter.js'
import { and, type Sql, sql, when } from './sql.js'
import { suspectPrefix } from '../schema/suspects.js'

/** Programs that read pages, by the verdicts that the service gives them (docs/api.md, "Bots"). DuckDB skips blocks without a verdict. */
const crawled = (asked: Scope): Sql => sql`analytics.events
WHERE ${and([...inPeriod(asked, asked), ...conditionsOfEvents(asked, asked)])}
  AND event = '$pageview' AND bot IS NOT NULL AND regexp_matches(bot, '^(AI )?crawler')`

const mostCrawlers = count('How many rows.', 50, 10_000)

const crawlers = answer({
  name: 'crawlers',
  about: 'Which crawlers and AI agents read pages; those with most views first.',
  parameters: { ...scope, most: mostCrawlers },
  columns: ['crawler', 'views', 'pages', 'last_seen'],
  isForGuests: true,
  sql: (given) => sql`SELECT bot AS crawler, count(*) AS views, count(DISTINCT path) AS pages,
  max("timestamp") AS last_seen
FROM ${crawled(given)}
GROUP BY ALL
ORDER BY views DESC, crawler
LIMIT ${given.most}`,
})

const crawledPages = answer({
  name: 'crawled_pages',
  about: 'The pages that one crawler read, the most frequent first.',
  parameters: { ...scope, crawler: text('As `crawlers` names it.'), most: mostCrawlers },
  columns: ['path', 'views', 'last_seen'],
  example: { crawler: 'AI crawler GPTBot' },
  isForGuests: true,
  sql: (given) => sql`SELECT path, count(*) AS views, max("timestamp") AS last_seen
FROM ${crawled(given)} AND bot = ${given.crawler}
GROUP BY ALL
ORDER BY views DESC, path
LIMIT ${given.most}`,
})

const botEvents = answer({
  name: 'bot_events',
  about: 'How many events of bots there are.',
  parameters: { ...scope },
  columns: ['events'],
  isForGuests: true,
  sql: (given) => sql`SELECT count(*) AS events FROM analytics.events
WHERE ${segmentOf({ ...given, bots: true })}
  AND bot IS NOT NULL`,
})

const { environment, from, until } = scope
const ofTime = { environment, from, until }

/** The visits of a time whose behaviour is not that of people. */
const suspected = ({ environment: name, ...period }: Pick<Scope, 'environment' | 'from' | 'until'>): Sql =>
  sql`analytics.all_sessions
WHERE suspect IS NOT NULL AND environment = ${name}${when(period.from, sql` AND started_at >= ${period.from}`)}${when(period.until, sql` AND started_at < ${period.until}`)}`

const suspects = answer({
  name: 'suspects',
  about: 'How many visits behave as people do not, and why.',
  parameters: ofTime,
  columns: ['suspect', 'sessions', 'people', 'page_views', 'events', 'last_seen'],
  sql: (given) => sql`SELECT suspect, count(*) AS sessions, count(DISTINCT person_id) AS people,
  sum(page_views)::BIGINT AS page_views, sum(events)::BIGINT AS events, max(started_at) AS last_seen
FROM ${suspected(given)}
GROUP BY suspect
ORDER BY sessions DESC, suspect`,
})

const suspectSessions = answer({
  name: 'suspect_sessions',
  about: 'Such visits, the newest first.',
  parameters: {
    ...ofTime,
    suspect: optional(text('Only for this reason.')),
    most: count('How many.', 50, 10_000),
  },
  columns:
    'started_at session_id person_id suspect page_views duration_seconds entry browser os country language'.split(
      ' ',
    ),
  sql: (given) => sql`SELECT started_at, session_id, person_id, suspect, page_views, duration_seconds, entry,
  browser, os, country, language
FROM ${suspected(given)}${when(given.suspect !== null, sql` AND suspect = ${given.suspect}`)}
ORDER BY started_at DESC, session_id
LIMIT ${given.most}`,
})

const suspectTotals = answer({
  name: 'suspect_totals',
  about: 'The figures of the time with such visits and without them.',
  parameters: ofTime,
  columns: ['counted', 'people', 'sessions', 'page_views', 'events'],
  sql: (given) => sql`WITH seen AS (
  SELECT person_id, session_id, event, session_id IN (
    SELECT session_id FROM analytics.all_sessions WHERE suspect IS NOT NULL AND environment = ${given.environment}
  ) AS is_suspect
  FROM analytics.events
  WHERE ${and(inPeriod(given, given))} AND (bot IS NULL OR starts_with(bot, ${suspectPrefix}))
)
SELECT 'with' AS counted, ${figures} FROM seen
UNION ALL
SELECT 'without', ${figures} FROM seen WHERE is_suspect IS NOT TRUE`,
})

const hasEvents = answer({
  name: 'has_events',
  about: 'Whether there is any event.',
  parameters: { ...scope, anonymous: flag('Only of visitors counted without consent.') },
  columns: ['has_events'],
  // The first event that is found answers it.
  sql: (given) => sql`SELECT count(*) > 0 AS has_events FROM (
  SELECT 1 FROM analytics.events
  WHERE ${segmentOf(given)}${when(given.anonymous, sql` AND anonymous`)}
  LIMIT 1
)`,
})

const releases = answer({
  name: 'releases',
  about: 'The releases whose first event ever lies in the time; the newest first.',
  parameters: { ...scope, most: count('How many.', 20, 10_000) },
  columns: ['release', 'first'],
  isForGuests: true,
  sql: (given) => sql`SELECT "release", min("timestamp") AS "first"
FROM analytics.events
WHERE ${segmentOf({ ...given, from: null })}
  AND "release" IS NOT NULL
GROUP BY "release"${when(given.from, sql`\nHAVING "first" >= ${given.from}`)}
ORDER BY "first" DESC
LIMIT ${given.most}`,
})

const event = optional(text('Only events of this name.'))
const isOfName = (name: string | null) => when(name !== null, sql` AND event = ${name}`)

const hours: Readonly<Record<string, number>> = { hour: 1, day: 24, month: 30 * 24 }
const reach = optional(
  oneOf('How far back to look by the time of arrival; without it, to the first event.', [
    'hour',
    'day',
    'month',
  ]),
)
const isWithin = (reached: string | null) =>
  reached === null ? sql`` : sql`received_at >= now() - to_hours(${hours[reached]!})`

const newestEvents = answer({
  name: 'newest_events',
  about: 'The newest events, each with who did it.',
  parameters: {
    ...scope,
    event,
    reach,
    after: optional<number>({
      about: 'Only those behind this event_id.',
      schema: { type: 'integer', minimum: 0 },
    }),
    most: count('How many.', 100, 10_000),
  },
  columns: ['event_id', 'timestamp', 'received_at', 'event', 'person_id', 'name', 'path', 'properties'],
  sql: (given) => sql`WITH newest AS (
  SELECT event_id, environment, "timestamp", received_at, event, person_id, path, properties
  FROM analytics.events
  WHERE ${segmentOf(given)}${isOfName(given.event)}${when(given.reach, sql` AND ${isWithin(given.reach)}`)}${when(given.after !== null, sql` AND event_id > ${given.after}`)}
  ORDER BY event_id DESC
  LIMIT ${given.most}
)
SELECT event_id, "timestamp", received_at, event, person_id,
  ${personName(sql`p.traits`, sql`person_id`)} AS name, path, properties
FROM newest LEFT JOIN analytics.persons p USING (environment, person_id)
ORDER BY event_id DESC`,
})

const minutes = answer({
  name: 'minutes',
  about: 'People and events of each of the last minutes.',
  parameters: { ...scope, event, minutes: count('How many minutes.', 30, 1440) },
  columns: ['minute', 'events', 'people'],
  sql: (given) => sql`SELECT
  date_trunc('minute', "timestamp") AS minute, count(*) AS events, count(DISTINCT person_id) AS people
FROM analytics.events
WHERE ${segmentOf(given)}${isOfName(given.event)}
  AND "timestamp" >= date_trunc('minute', now()) - to_minutes(${given.minutes - 1}) AND "timestamp" <= now()
GROUP BY ALL
ORDER BY 1`,
})

const arrivals = answer({
  name: 'arrivals',
  about: 'The newest event of people and of bots in each environment.',
  parameters: { reach },
  columns: ['environment', 'is_bot', 'received_at', 'event', 'url', 'lacks_campaigns'],
  sql: (given) => sql`SELECT
  environment, bot IS NOT NULL AS is_bot, max(received_at) AS received_at,
  arg_max(event, event_id) AS event, arg_max(coalesce(url, ''), event_id) AS url,
  bool_or(regexp_matches(url, '[?&]utm_source=.')) AND count(utm_source) = 0 AS lacks_campaigns
FROM analytics.events${when(given.reach, sql`\nWHERE ${isWithin(given.reach)}`)}
GROUP BY ALL`,
})

const saved = answer({
  name: 'saved',
  about: 'What users have saved.',
  parameters: {},
  columns: ['kind', 'name', 'value'],
  sql: () => sql`SELECT kind, name, value FROM analytics.saved ORDER BY lower(name), name`,
})

const alerts = answer({
  name: 'alerts',
  about: 'The alerts and digests, with what was found last.',
  parameters: {},
  columns: ['name', 'definition', 'status', 'since', 'value', 'expected', 'judged_until', 'error'],
  sql: () => sql`SELECT name, definition, status, since, "value", expected, judged_until, error
FROM analytics.alerts ORDER BY lower(name), name`,
})

const alertMessages = answer({
  name: 'alert_messages',
  about: 'The newest messages of alerts, a row for each receiver.',
  parameters: { most: count('How many.', 100, 1000) },
  columns: ['made_at', 'alert', 'kind', 'text', 'receiver', 'attempts', 'sent_at', 'next_at', 'error'],
  sql: ({ most }) => sql`SELECT made_at, alert, kind, text, receiver, attempts, sent_at, next_at, error
FROM analytics.alert_messages ORDER BY made_at DESC, id, receiver LIMIT ${most}`,
})

const importedSums = answer({
  name: 'imported_sums',
  about: 'What other programs have counted, of what was imported as sums. Weeks and months have no visitors.',
  parameters: { ...ofTime, unit, timezone },
  columns: ['program', 'time', 'people', 'sessions', 'page_views', 'events'],
  sql: (
    given,
  ) => sql`SELECT split_part(imported, '-', 1) AS program, date_trunc(${given.unit}, "day"::TIMESTAMPTZ) AS "time",
  CASE WHEN ${given.unit} IN ('hour', 'day') THEN sum(visitors)::BIGINT END AS people, sum(visits)::BIGINT AS sessions,
  sum(page_views)::BIGINT AS page_views, sum(events)::BIGINT AS events
FROM analytics.daily_sums
WHERE environment = ${given.environment} AND dimension = 'total'${when(given.from, sql` AND "day"::TIMESTAMPTZ >= ${given.from}`)}${when(given.until, sql` AND "day"::TIMESTAMPTZ < ${given.until}`)}
GROUP BY ALL
ORDER BY program, "time"`,
})

const imports = answer({
  name: 'imports',
  about: 'What was brought from other programs and not taken back, the newest first.',
  parameters: {},
  columns: ['imported', 'environment', 'events', 'sums', 'first_time', 'last_time'],
  sql: () => sql`SELECT imported, environment, events, sums, first_time, last_time
FROM analytics.imports
ORDER BY received_at DESC NULLS LAST, imported`,
})

export const traffic = [
  ...[crawlers, crawledPages, botEvents, suspects, suspectSessions, suspectTotals, hasEvents, releases],
  ...[newestEvents, minutes, arrivals, saved, alerts, alertMessages, importedSums, imports],
]

import { answer } from './Answer.js'
import {
  amongPeople,
  conditionsByPeople,
  conditionsOfEvents,
  eventsIn,
  isNamed,
  namedChoiceOf,
  personName,
} from './conditions.js'
import {
  anonymous,
  type Condition,
  count,
  flag,
  list,
  oneOf,
  optional,
  type Scope,
  scope,
  segments,
  text,
  timezone,
  usually,
} from './Parameter.js'
import { and, joinSql, none, type Sql, sql, when } from './sql.js'

/** The argument by which an answer about people over days counts visitors without consent. */
export const withAnonymous = (given: { anonymous: boolean }) =>
  when(given.anonymous, sql`, anonymous := ${true}`)

export const steps = {
  ...scope,
  anonymous,
  steps: list('One after the other: names of events, or paths such as /pricing.', 1, 10),
  step_where: segments('For each step a segment of events: those that count for it.', 10),
  within_hours: {
    about: 'How long after the first step the last one may be.',
    schema: { type: 'number', exclusiveMinimum: 0, maximum: 24 * 366 },
    fallback: 168,
  },
}
const example = { steps: ['/', 'Order Placed'] }

export type Steps = Scope & {
  anonymous: boolean
  steps: readonly string[]
  step_where: readonly (readonly Condition[])[]
  within_hours: number
}

/** One more argument, after a comma: the events that count for each step, where some have conditions. */
const stepEvents = (given: Steps): Sql => {
  if (given.step_where.every((where) => where.length === 0)) return none
  // A step may lie behind the end of the time.
  const period = { from: given.from, until: null }
  const lists = given.step_where.slice(0, given.steps.length).map((where, at) => {
    if (where.length === 0) return sql`NULL`
    const conditions = conditionsOfEvents({ ...given, where }, period)
    const all = and([...eventsIn(given, period), isNamed(given.steps[at]!), ...conditions])
    return sql`(SELECT coalesce(list(event_id), []) FROM analytics.events WHERE ${all})`
  })
  return sql`, step_events := [${joinSql(lists, ', ')}]`
}

export const stepsOf = (given: Steps, more = sql``) => sql`
  ${given.steps},
  ${
    Number.isInteger(given.within_hours)
      ? sql`INTERVAL ${given.within_hours} HOUR`
      : sql`to_seconds(${given.within_hours * 3600})`
  },
  ${more}${namedChoiceOf(given)}${withAnonymous(given)}${stepEvents(given)}${amongPeople(given)}
`

/** Guests who choose may tell apart by what every event has. */
const builtIn = 'utm_source utm_medium utm_campaign device os browser country language'
  .split(' ')
  .map((name) => `$${name}`)

const funnel = answer({
  name: 'funnel',
  about: 'How many people took steps one after the other.',
  parameters: {
    ...steps,
    breakdown: {
      ...optional(text('A property of the first step by which people are told apart.')),
      refuse: (value: string | null, isOfGuest: boolean) =>
        isOfGuest && value !== null && !builtIn.includes(value)
          ? 'Guests may not ask for a property.'
          : undefined,
    },
  },
  columns: ['breakdown', 'step', 'name', 'people', 'conversion', 'step_conversion', 'median_seconds'],
  example,
  isForGuests: true,
  sql(given, fewest) {
    const seconds =
      fewest === undefined
        ? sql`median_seconds`
        : sql`CASE WHEN people >= ${fewest} THEN median_seconds END AS median_seconds`
    const isTold = fewest !== undefined && given.breakdown !== null
    return sql`SELECT breakdown, step, name, people, conversion, step_conversion, ${seconds}
FROM analytics.funnel(${stepsOf(given, when(given.breakdown !== null, sql`breakdown := ${given.breakdown}, `))})${when(
      isTold,
      sql`\nQUALIFY max(people) OVER (PARTITION BY breakdown) >= ${fewest ?? null}`,
    )}
ORDER BY breakdown NULLS FIRST, step`
  },
})

const funnelPeople = answer({
  name: 'funnel_people',
  about: 'The people that the funnel counts at a step, with the time when each did it; the newest first.',
  parameters: {
    ...steps,
    step: count('Which step, from 1.', 1, 10),
    dropped: flag('Only those who went no further.'),
    most: count('How many.', 100, 10_000),
  },
  columns: ['person_id', 'name', 'depth', 'last_step', 'people'],
  example,
  sql: (given) => sql`SELECT f.person_id, ${personName(sql`p.traits`, sql`f.person_id`)} AS name,
  f.step AS depth, f."timestamp" AS last_step, count(*) OVER () AS people
FROM analytics.funnel_people(${stepsOf(given)}) f
LEFT JOIN (FROM analytics.persons WHERE environment = ${given.environment}) p USING (person_id)
WHERE f.step ${given.dropped ? sql`=` : sql`>=`} ${given.step}
ORDER BY last_step DESC, f.person_id
LIMIT ${given.most}`,
})

const retention = answer({
  name: 'retention',
  about: 'Of those who did something in a day, week or month: how many came back, and when.',
  parameters: {
    ...scope,
    anonymous,
    timezone,
    first_event: optional(text('What they began with: an event or a path. Without it: anything.')),
    return_event: optional(text('What counts as coming back. Without it: anything.')),
    unit: usually(oneOf('What a period is.', ['day', 'week', 'month']), 'week'),
    everybody: flag('Also who did it before the time.'),
    cohorts: optional(count('Only so many of the newest.', 60, 10_000)),
    periods: optional(count('Only so many of each.', 31, 10_000)),
  },
  columns: ['cohort', 'size', 'period', 'people', 'share'],
  isForGuests: true,
  sql: (given) => sql`SELECT
  cohort, size, period, people, share
FROM analytics.retention(
  ${given.first_event}, ${given.return_event}, ${given.unit},
  ${namedChoiceOf(given)}, time_zone := ${given.timezone}${when(given.everybody, sql`, everybody := ${true}`)}${withAnonymous(given)}${amongPeople(given)}
)${when(given.periods !== null, sql`\nWHERE period < ${given.periods}`)}${when(
    given.cohorts !== null,
    sql`\nQUALIFY dense_rank() OVER (ORDER BY cohort DESC) <= ${given.cohorts}`,
  )}
ORDER BY cohort, period`,
})

const places = {
  ...scope,
  start: optional(text('The path to begin at. Without it: where each session begins.')),
  depth: count('How many steps.', 3, 20),
}

const moves = (given: Scope & { start: string | null; depth: number }) => sql`analytics.paths(
    ${given.start}, ${given.depth},
    ${namedChoiceOf(given)}${amongPeople(given)}
  )`

const paths = answer({
  name: 'paths',
  about: 'From which page to which page sessions go.',
  parameters: places,
  columns: ['step', 'from_path', 'to_path', 'sessions'],
  sql: (given, fewest) =>
    fewest === undefined
      ? sql`FROM ${moves(given)}`
      : sql`WITH rare AS (
  SELECT path FROM analytics.events WHERE ${and([...eventsIn(given, given), ...conditionsByPeople(given), sql`event = '$pageview'`])} GROUP BY path HAVING count(DISTINCT person_id) < ${fewest}
)
SELECT * FROM ${moves(given)} p
WHERE NOT EXISTS (FROM rare WHERE path IN (p.from_path, p.to_path))`,
})

/** A folder with more pages than that is shown as one. */
const mostChildren = 5

/** A pattern for LIKE, in which `*` is any text. */
const toLike = (pattern: string) => pattern.replaceAll(/[!%_]/g, '!$&').replaceAll('*', '%')

/** What a page is shown as: a pattern, its folder, or its own path. A path of the start is never folded. */
const nameOf = (start: string | null, fold: readonly string[], open: readonly string[]): Sql => {
  const patterns = fold.map((pattern) => sql`WHEN path LIKE ${toLike(pattern)} ESCAPE '!' THEN ${pattern}`)
  const opened = open.map((each) => sql`${each}`)
  const isFolder = and([
    sql`folder <> ''`,
    ...(opened.length > 0 ? [sql`folder NOT IN (${joinSql(opened, ', ')})`] : []),
    sql`count(*) OVER (PARTITION BY folder) > ${mostChildren}`,
  ])
  return sql`CASE WHEN path = ${start ?? ''} THEN path
    ${joinSql([...patterns, sql`WHEN ${isFolder} THEN folder || '*'`], '\n    ')}
    ELSE path END`
}

const flows = answer({
  name: 'flows',
  about:
    'Where sessions went, with folders of many pages as one. The empty name is all other pages of a place; without `to_name` the session ended.',
  parameters: {
    ...places,
    fold: usually(list('Patterns such as /user/*, whose pages are one.', 0, 100), []),
    open: usually(list('Folders such as /maps/, which are not folded by themselves.', 0, 100), []),
    most: count('How many pages of each place are told; the others are one.', 7, 1000),
  },
  columns: ['step', 'from_name', 'from_pages', 'to_name', 'to_pages', 'sessions'],
  isForGuests: true,
  sql(given) {
    const { start, depth, fold, open, most } = given
    const shown = (place: Sql, name: Sql) => sql`CASE WHEN ${place}.rank <= ${most} THEN ${name} ELSE '' END`
    const pages = (place: Sql) =>
      sql`CASE WHEN ${place}.rank <= ${most} THEN ${place}.pages ELSE ${place}.names - ${most} END`
    return sql`WITH ways AS (
  SELECT step, from_path, to_path, sessions
  FROM ${moves(given)}
), seen AS (
  SELECT DISTINCT path, regexp_extract(path, '^(/.+/)[^/]+/?$', 1) AS folder
  FROM (SELECT from_path AS path FROM ways UNION ALL SELECT to_path FROM ways)
  WHERE path IS NOT NULL
), named AS (
  SELECT path, ${nameOf(start, fold, open)} AS name
  FROM seen
), folded AS (
  SELECT path, name, count(*) OVER (PARTITION BY name) AS pages FROM named
), moves AS (
  SELECT w.step, f.name AS from_name, t.name AS to_name, sum(w.sessions)::BIGINT AS sessions
  FROM ways w JOIN folded f ON f.path = w.from_path LEFT JOIN folded t ON t.path = w.to_path
  GROUP BY ALL
), places AS (
  SELECT place, name, (SELECT any_value(pages) FROM folded f WHERE f.name = p.name) AS pages,
    row_number() OVER (PARTITION BY place ORDER BY sum(sessions) DESC, name) AS rank,
    count(*) OVER (PARTITION BY place) AS names
  FROM (
    SELECT step - 1 AS place, from_name AS name, sessions FROM moves
    UNION ALL
    SELECT step, to_name, sessions FROM moves WHERE step = ${depth} AND to_name IS NOT NULL
  ) p
  GROUP BY place, name
)
SELECT m.step, ${shown(sql`f`, sql`m.from_name`)} AS from_name, ${pages(sql`f`)} AS from_pages,
  CASE WHEN m.to_name IS NOT NULL THEN ${shown(sql`t`, sql`m.to_name`)} END AS to_name,
  CASE WHEN m.to_name IS NOT NULL THEN ${pages(sql`t`)} END AS to_pages, sum(m.sessions)::BIGINT AS sessions
FROM moves m
JOIN places f ON f.place = m.step - 1 AND f.name = m.from_name
LEFT JOIN places t ON t.place = m.step AND t.name = m.to_name
GROUP BY ALL
ORDER BY m.step, sessions DESC, from_name, to_name`
  },
})

export const journeys = [funnel, funnelPeople, retention, paths, flows]

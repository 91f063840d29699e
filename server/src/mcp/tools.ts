import { z } from 'zod'
import { quoteText } from '../store/quote.js'

/** Without `:persons` a name, a value or a time is told only when at least this many people share it: one of a single person is about that person. */
export const fewestPeople = 3

const text = (about: string) => z.string().max(400).describe(about)
const asked = {
  from: text(
    'The beginning, such as 2026-10-01 or 2026-10-01T08:00:00Z. Without it: from the first event.',
  ).optional(),
  until: text('The end, which does not belong to the range.').optional(),
  environment: text('One environment.').default('production'),
  bots: z.boolean().default(false).describe('Whether bots count.'),
}
const limit = z.number().int().min(1).max(1000).default(100).describe('The most rows to answer.')
const timeZone = text('Where a day begins, such as Europe/Vienna.').default('UTC')

const orNull = (value: string | undefined) => (value === undefined ? 'NULL' : quoteText(value))
type Asked = { from?: string | undefined; until?: string | undefined; environment: string; bots: boolean }
const rangeOf = ({ from, until, environment, bots }: Asked) =>
  `${orNull(from)}, ${orNull(until)}, environment := ${quoteText(environment)}, bots := ${bots}`
const isAsked = ({ from, until, environment, bots }: Asked) =>
  [
    `environment = ${quoteText(environment)}`,
    bots ? 'true' : 'bot IS NULL',
    from === undefined ? 'true' : `"timestamp" >= ${quoteText(from)}::TIMESTAMPTZ`,
    until === undefined ? 'true' : `"timestamp" < ${quoteText(until)}::TIMESTAMPTZ`,
  ].join(' AND ')

export interface Tool<Shape extends z.ZodObject = z.ZodObject> {
  name: string
  description: string
  schema: Shape
  /** The statement that answers; `fewest` is how many people a told value must have. */
  statement(given: z.output<Shape>, fewest: number): string
  /** Whether only a token with `:persons` has it. */
  isOfPersons?: true
}

const tool = <Shape extends z.ZodObject>(each: Tool<Shape>) => each as unknown as Tool

/** Columns that sessions are told apart by. */
const sessionColumns = z
  .enum(
    'channel referrer_host utm_source utm_medium utm_campaign entry exit browser os device country language screen_class'.split(
      ' ',
    ) as [string, ...string[]],
  )
  .describe('What the sessions are told apart by.')

export const tools: readonly Tool[] = [
  tool({
    name: 'list_events',
    description: 'The events that were recorded: name, how often, how many people, first and last time.',
    schema: z.object({ ...asked, limit }),
    statement: (given, fewest) =>
      `SELECT event, count(*) AS events, count(DISTINCT person_id) AS people, min("timestamp") AS first, max("timestamp") AS last
       FROM events WHERE ${isAsked(given)} GROUP BY event HAVING people >= ${fewest} ORDER BY events DESC, event`,
  }),
  tool({
    name: 'list_properties',
    description: 'The properties that an event carries: how many events have each, and values as examples.',
    schema: z.object({ event: text('The name of an event.'), ...asked, limit }),
    statement: (given, fewest) =>
      `WITH chosen AS (SELECT person_id, properties FROM events WHERE event = ${quoteText(given.event)} AND ${isAsked(given)}),
       named AS (SELECT person_id, properties, unnest(json_keys(properties)) AS property FROM chosen),
       valued AS (SELECT property, prop(properties, property) AS value, count(*) AS events, count(DISTINCT person_id) AS people FROM named GROUP BY ALL)
       SELECT property, sum(events)::BIGINT AS events, list(left(value, 80) ORDER BY events DESC, value) FILTER (people >= ${fewest})[1:3] AS examples
       FROM valued SEMI JOIN (SELECT property FROM named GROUP BY ALL HAVING count(DISTINCT person_id) >= ${fewest}) USING (property)
       GROUP BY property ORDER BY events DESC, property`,
  }),
  tool({
    name: 'daily',
    description: 'People, sessions, page views and events of each day.',
    schema: z.object({ ...asked, time_zone: timeZone, limit }),
    statement: (given) => `FROM daily(${rangeOf(given)}, time_zone := ${quoteText(given.time_zone)})`,
  }),
  tool({
    name: 'funnel',
    description:
      'How many people took steps one after the other. A step is the name of an event, or a path such as /pricing.',
    schema: z.object({
      steps: z.array(text('A step.')).min(2).max(10),
      within_hours: z
        .number()
        .positive()
        .max(24 * 366)
        .default(168)
        .describe('From the first step to the last.'),
      breakdown: text('A property of the first step by which people are told apart.').optional(),
      ...asked,
      limit,
    }),
    statement: (given, fewest) => {
      const steps = given.steps.map(quoteText).join(', ')
      const told = `* REPLACE (CASE WHEN people >= ${fewest} THEN median_seconds END AS median_seconds)`
      const all = `FROM funnel([${steps}], to_seconds(${given.within_hours * 3600}), breakdown := ${orNull(given.breakdown)}, from_time := ${orNull(given.from)}, until_time := ${orNull(given.until)}, environment := ${quoteText(given.environment)}, bots := ${given.bots})`
      if (given.breakdown === undefined) return `SELECT ${told} ${all}`
      return `SELECT ${told} ${all} QUALIFY max(people) OVER (PARTITION BY breakdown) >= ${fewest} ORDER BY breakdown, step`
    },
  }),
  tool({
    name: 'retention',
    description: 'Of those who did something in a day, week or month: how many came back, and when.',
    schema: z.object({
      first_event: text('What they began with: an event or a path. Without it: anything.').optional(),
      return_event: text('What counts as coming back. Without it: anything.').optional(),
      unit: z.enum(['day', 'week', 'month']).default('week'),
      ...asked,
      time_zone: timeZone,
      limit,
    }),
    statement: (given) =>
      `FROM retention(${orNull(given.first_event)}, ${orNull(given.return_event)}, ${quoteText(given.unit)}, from_time := ${orNull(given.from)}, until_time := ${orNull(given.until)}, environment := ${quoteText(given.environment)}, bots := ${given.bots}, time_zone := ${quoteText(given.time_zone)})`,
  }),
  tool({
    name: 'paths',
    description: 'From which page to which page sessions go.',
    schema: z.object({
      start: text('The path to begin at. Without it: where each session begins.').optional(),
      depth: z.number().int().min(1).max(20).default(3).describe('How many steps.'),
      ...asked,
      limit,
    }),
    statement: (given, fewest) =>
      `WITH rare AS (
         SELECT path FROM events WHERE event = '$pageview' AND ${isAsked(given)} GROUP BY path HAVING count(DISTINCT person_id) < ${fewest}
       )
       SELECT * FROM paths(${orNull(given.start)}, ${given.depth}, from_time := ${orNull(given.from)}, until_time := ${orNull(given.until)}, environment := ${quoteText(given.environment)}, bots := ${given.bots}) p
       WHERE NOT EXISTS (FROM rare WHERE path IN (p.from_path, p.to_path))`,
  }),
  tool({
    name: 'breakdown',
    description: 'The values of a property of an event, with people and events.',
    schema: z.object({
      event: text('An event or a path. Without it: any event.').optional(),
      property: text('Its property, such as plan or $utm_source.'),
      ...asked,
      limit,
    }),
    statement: (given, fewest) =>
      `SELECT * FROM breakdown(${orNull(given.event)}, ${quoteText(given.property)}, ${rangeOf(given)}) WHERE people >= ${fewest}`,
  }),
  tool({
    name: 'sessions',
    description:
      'Visits told apart by a column: how many, by how many people, bounce rate, pages and seconds.',
    schema: z.object({ by: sessionColumns, ...asked, limit }),
    statement: (given, fewest) =>
      `SELECT ${given.by}, count(*) AS sessions, count(DISTINCT person_id) AS people, avg(bounced::INTEGER) AS bounce_rate,
         avg(page_views) AS pages, median(duration_seconds) AS seconds
       FROM sessions(${rangeOf(given)}) GROUP BY 1 HAVING people >= ${fewest} ORDER BY sessions DESC, 1`,
  }),
  tool({
    name: 'web_vitals',
    description: 'How fast pages are: the 75th percentile of each web vital by page.',
    schema: z.object({ ...asked, limit }),
    statement: (given, fewest) =>
      `SELECT path, metric, quantile_cont(value, 0.75) AS p75, vital_rating(metric, p75) AS rating, count(*) AS measured
       FROM web_vitals(${rangeOf(given)}) GROUP BY path, metric HAVING count(DISTINCT person_id) >= ${fewest} ORDER BY measured DESC, path, metric`,
  }),
  tool({
    name: 'errors',
    description: 'The errors that people met: message, how often, how many people, first and last release.',
    schema: z.object({ ...asked, limit }),
    statement: (given, fewest) =>
      `SELECT message, count(*) AS events, count(DISTINCT person_id) AS people, arg_min(release, "timestamp") AS first_release,
         arg_max(release, "timestamp") AS last_release, max("timestamp") AS last
       FROM errors WHERE ${isAsked(given)} GROUP BY message HAVING people >= ${fewest} ORDER BY events DESC, message`,
  }),
  tool({
    name: 'sql',
    description:
      'One statement of DuckDB’s SQL that reads. The views events, sessions, page_views and persons, and the macros of the other tools, are there.',
    schema: z.object({ statement: z.string().max(20_000), time_zone: timeZone, limit }),
    statement: (given) => given.statement,
    isOfPersons: true,
  }),
]

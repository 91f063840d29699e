import { columnsOf, quoteText, type View, viewSql } from '../../duckdb/quote.js'
import { breakdown } from './breakdown.js'
import { daily, totals } from './daily.js'
import { funnel, funnelPeople } from './funnel.js'
import { pageViews, firstTouch, lastTouch } from './pageViews.js'
import { paths } from './paths.js'
import { retention, retentionPeople } from './retention.js'
import { sessionBreakdown, sessionsOfRange, sessionViews } from './sessionViews.js'
import { tableMacroSql, type TableMacro } from './tableMacro.js'
import {
  choice,
  choiceProblems,
  eventsOfPersons,
  id,
  isAsked,
  propertyOf,
  range,
} from '../../schema/askedEvents.js'
import { thresholds } from '../quality.js'

const bound = (at: 1 | 2) =>
  `CASE metric ${thresholds.map((each) => `WHEN ${quoteText(each[0])} THEN ${each[at]}`).join(' ')} END`

/** The scalar macro that says what a value, or a percentile of values, is worth. */
const vitalRating = `
CREATE OR REPLACE MACRO analytics.main.vital_rating(metric, value) AS
  CASE WHEN value <= ${bound(1)} THEN 'good' WHEN value <= ${bound(2)} THEN 'needs improvement'
    WHEN value > ${bound(2)} THEN 'poor' END;
COMMENT ON MACRO analytics.main.vital_rating IS 'good, needs improvement or poor: what a value of a web vital is worth.';
`

const own = ['event_id', '"timestamp"', 'person_id', 'session_id', 'path', 'device', 'browser', 'release']

/** A page may report a metric again while it lives, under the same id: the last report counts. */
const webVitals: TableMacro = {
  name: 'web_vitals',
  comment: 'The measurements of web vitals in a range, one a row.',
  parameters: [...range, ...choice],
  columns: [...own, 'metric', 'value', 'rating'],
  problems: choiceProblems,
  tables: [
    [
      'reported',
      `SELECT ${own.map((name) => `e.${name}`).join(', ')}, analytics.main.prop(e.properties, 'name') AS metric,
         analytics.main.prop_number(e.properties, 'value') AS value,
         analytics.main.prop(e.properties, 'id') AS id
       FROM analytics.main.events e
       WHERE e.event = 'Web Vital' AND e.environment = environment AND (bots OR e.bot IS NULL)
         AND (from_time IS NULL OR e."timestamp" >= from_time::TIMESTAMPTZ)
         AND (until_time IS NULL OR e."timestamp" < until_time::TIMESTAMPTZ)`,
    ],
    [
      'answer',
      `SELECT r.*, analytics.main.vital_rating(r.metric, r.value) AS rating FROM reported r
       WHERE r.metric IS NOT NULL AND r.value IS NOT NULL
       QUALIFY row_number() OVER (PARTITION BY r.metric, coalesce(r.id, r.event_id::VARCHAR)
         ORDER BY r."timestamp" DESC, r.event_id DESC) = 1`,
    ],
  ],
  order: '2, 1',
}

/** A pattern of LIKE in which only `*` stands for any text. */
const likeSql = (text: string) =>
  `replace(replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_'), '*', '%')`

const isView = `e.event = '$pageview' AND e.path LIKE g.pattern ESCAPE '\\'`

/** The events of one kind of goal. DuckDB reads no event where the goal is of another kind, and of the events only what the kind needs. */
const ofKind = (kind: string, condition: string) =>
  `SELECT e.seq AS event_id, e."timestamp", coalesce(m.person_id, ${id}) AS person_id, e.session_id
   FROM ${eventsOfPersons} JOIN (FROM wanted w WHERE ${kind}) g ON ${condition} WHERE ${isAsked}`

const goalEvents: TableMacro = {
  name: 'goal_events',
  comment: 'The events that reach a saved goal.',
  parameters: [['goal'], ...range, ...choice],
  columns: ['event_id', '"timestamp"', 'person_id', 'session_id'],
  problems: [
    ...choiceProblems,
    [
      `NOT EXISTS (FROM analytics.raw.saved s WHERE s.kind = 'goal' AND s.name = goal)`,
      `'There is no goal ' || coalesce(goal, 'NULL') || '. The view saved has them all.'`,
    ],
  ],
  tables: [
    [
      'wanted',
      `SELECT v.event, CASE WHEN starts_with(v.event, '/') THEN ${likeSql('v.event')} END AS pattern, v.property, v.value
       FROM (SELECT s.value->>'event' AS event, s.value->>'property' AS property, s.value->>'value' AS value
         FROM analytics.raw.saved s WHERE s.kind = 'goal' AND s.name = goal) v`,
    ],
    [
      'answer',
      [
        ofKind('w.property IS NULL AND w.pattern IS NULL', 'e.event = g.event'),
        ofKind('w.property IS NULL AND w.pattern IS NOT NULL', isView),
        ofKind(
          'w.property IS NOT NULL',
          `${propertyOf('g.property')} = g.value AND CASE WHEN g.event IS NULL THEN true
             WHEN g.pattern IS NULL THEN e.event = g.event ELSE coalesce(${isView}, false) END`,
        ),
      ].join(' UNION ALL '),
    ],
  ],
  order: '1',
}

const caughtErrors: View = {
  name: 'errors',
  comment: 'Every error that the plugin errors caught, one a row: the events named Error Caught.',
  from: `analytics.main.events e WHERE e.event = 'Error Caught'`,
  columns: [
    ...columnsOf('e', {
      environment: 'Environments are apart.',
      event_id: 'As in events.',
      timestamp: 'When it happened.',
      person_id: 'Whom it happened to, as in events and persons.',
      session_id: 'The visit, as sent.',
      path: 'The path of the page.',
      release: 'The property $release.',
      browser: 'As in events.',
      os: 'As in events.',
      device: 'As in events.',
    }),
    ...Object.entries({
      message: 'What the error says.',
      name: 'Its name, such as TypeError.',
      kind: 'error, or rejection of a promise that nobody handled.',
      stack: 'Where it happened.',
    }).map(([name, comment]) => [name, `analytics.main.prop(e.properties, '${name}')`, comment] as const),
    ['bot', 'e.bot', 'Why no person seems to have done it; else NULL.'],
  ],
}

/** The statements that make the views and table macros that answer the usual questions. */
export const answers = [
  ...[...sessionViews, pageViews, caughtErrors].map(viewSql),
  vitalRating,
  ...[
    sessionsOfRange,
    sessionBreakdown,
    daily,
    totals,
    funnel,
    funnelPeople,
    retention,
    retentionPeople,
    paths,
    firstTouch,
    lastTouch,
    breakdown,
    webVitals,
    goalEvents,
  ].map(tableMacroSql),
].join('\n')

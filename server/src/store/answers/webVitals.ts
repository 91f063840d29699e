import { quoteText } from '../quote.js'
import { choice, choiceProblems, range } from './askedEvents.js'
import type { TableMacro } from './tableMacro.js'

/** Up to the first a value is good, beyond the second it is poor: the thresholds of the project web-vitals. */
const thresholds = [
  ['LCP', 2500, 4000],
  ['INP', 200, 500],
  ['CLS', 0.1, 0.25],
  ['FCP', 1800, 3000],
  ['TTFB', 800, 1800],
] as const

const bound = (at: 1 | 2) =>
  `CASE metric ${thresholds.map((each) => `WHEN ${quoteText(each[0])} THEN ${each[at]}`).join(' ')} END`

/** The scalar macro that says what a value, or a percentile of values, is worth. */
export const vitalRating = `
CREATE OR REPLACE MACRO analytics.main.vital_rating(metric, value) AS
  CASE WHEN value <= ${bound(1)} THEN 'good' WHEN value <= ${bound(2)} THEN 'needs improvement'
    WHEN value > ${bound(2)} THEN 'poor' END;
COMMENT ON MACRO analytics.main.vital_rating IS 'good, needs improvement or poor: what a value of a web vital is worth.';
`

const own = ['event_id', '"timestamp"', 'person_id', 'session_id', 'path', 'device', 'browser', 'release']

/** A page may report a metric again while it lives, under the same id: the last report counts. */
export const webVitals: TableMacro = {
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

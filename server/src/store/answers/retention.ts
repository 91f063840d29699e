import {
  choice,
  choiceProblems,
  eventsOfPersons,
  isAsked,
  isNamed,
  orderKey,
  personKey,
  range,
  zone,
  zoneProblem,
} from './askedEvents.js'
import type { TableMacro } from './tableMacro.js'

/** Another unit is told as a problem, not by what DuckDB makes of it. */
const known = `CASE unit WHEN 'month' THEN 'month' WHEN 'week' THEN 'week' ELSE 'day' END`
const periodOf = (moment: string) => `date_trunc(${known}, timezone(time_zone, ${moment}))::DATE`
const isFirst = `(first_event IS NULL OR ${isNamed('first_event')})`
const isReturn = `(return_event IS NULL OR ${isNamed('return_event')})`

export const retention: TableMacro = {
  name: 'retention',
  comment:
    'Of the people who did something for the first time in a period, how many came back, period by period.',
  parameters: [['first_event'], ['return_event'], ['unit', `'week'`], ...range, ...choice, zone],
  columns: ['cohort', 'size', 'period', 'people', 'share'],
  problems: [
    ...choiceProblems,
    zoneProblem,
    [
      `(unit IN ('day', 'week', 'month')) IS NOT TRUE`,
      `'unit is ' || coalesce('''' || unit || '''', 'NULL') || '. Write ''day'', ''week'' or ''month''.'`,
    ],
  ],
  tables: [
    [
      'hit',
      `SELECT ${personKey} AS person_key, ${orderKey} AS key, ${periodOf('e."timestamp"')} AS period,
         ${isFirst} AS is_first, ${isReturn} AS is_return
       FROM ${eventsOfPersons}
       WHERE ${isAsked} AND (${isFirst} OR ${isReturn}) AND coalesce(e.distinct_id, e.anonymous_id) IS NOT NULL`,
    ],
    [
      'member',
      `SELECT h.person_key, min(h.key) AS key, min(h.period) AS cohort FROM hit h WHERE h.is_first
       GROUP BY h.person_key`,
    ],
    ['cohorts', 'SELECT c.cohort, count(*) AS size FROM member c GROUP BY c.cohort'],
    [
      'returned',
      `SELECT c.cohort, h.period, count(DISTINCT h.person_key) AS people
       FROM hit h JOIN member c ON c.person_key = h.person_key WHERE h.is_return AND h.key > c.key
       GROUP BY c.cohort, h.period`,
    ],
    [
      'bound',
      `SELECT coalesce(${periodOf('until_time::TIMESTAMPTZ - INTERVAL 1 MICROSECOND')},
         (SELECT max(h.period) FROM hit h)) AS last_period`,
    ],
    [
      'cell',
      `SELECT c.cohort, c.size, p.period,
         (c.cohort + p.period * CASE unit WHEN 'month' THEN INTERVAL 1 MONTH WHEN 'week' THEN INTERVAL 7 DAY ELSE INTERVAL 1 DAY END)::DATE AS began
       FROM (SELECT c.cohort, c.size, unnest(range(date_diff(${known}, c.cohort, b.last_period) + 1)) AS period
         FROM cohorts c, bound b) p JOIN cohorts c ON c.cohort = p.cohort`,
    ],
    [
      'answer',
      `SELECT c.cohort, c.size, c.period::INTEGER AS period, coalesce(r.people, 0) AS people,
         coalesce(r.people, 0) / c.size AS share
       FROM cell c LEFT JOIN returned r ON r.cohort = c.cohort AND r.period = c.began`,
    ],
  ],
  order: '1, 3',
}

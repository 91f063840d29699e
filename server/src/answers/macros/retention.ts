import {
  among,
  amongIds,
  anonymous,
  anonymousProblem,
  checkDays,
  choice,
  choiceProblems,
  eventsAmong,
  eventsOfPersons,
  hasId,
  id,
  isAsked,
  isChosen,
  isNamed,
  isPerson,
  isSince,
  isUntil,
  movedIds,
  orderKey,
  personKeyOf,
  range,
  seqOfKey,
  zone,
  zoneProblem,
} from '../../schema/askedEvents.js'
import { joinSpan, periodOfMoment, spansInMany, spansOf, type TableMacro } from './tableMacro.js'

/** Any other unit is counted as days here: `problems` reports it, and DuckDB's own error must not come first. */
const known = `CASE unit WHEN 'month' THEN 'month' WHEN 'week' THEN 'week' ELSE 'day' END`
const truncated = (local: string) => `date_trunc(${known}, ${local})::DATE`
const periodOf = (moment: string) => truncated(`timezone(time_zone, ${moment})`)
const isFirst = `(first_event IS NULL OR ${isNamed('first_event')})`
const isReturn = `(return_event IS NULL OR ${isNamed('return_event')})`
const isHit = `${isAsked} AND ${isPerson} AND (${isFirst} OR ${isReturn}) AND ${hasId}`

/** The first day of the period so many after that of a cohort. */
const periodAfter = (cohort: string, period: string) =>
  `(${cohort} + ${period} * CASE unit WHEN 'month' THEN INTERVAL 1 MONTH WHEN 'week' THEN INTERVAL 7 DAY ELSE INTERVAL 1 DAY END)::DATE`

const parameters: TableMacro['parameters'] = [
  ['first_event'],
  ['return_event'],
  ['unit', `'week'`],
  ...range,
  ...choice,
  zone,
  ['everybody', 'false'],
  anonymous,
  among,
]

const problems: TableMacro['problems'] = [
  ...choiceProblems,
  anonymousProblem,
  zoneProblem,
  [
    'everybody IS NULL',
    `'everybody is NULL. Write everybody := true to count also who did it before the range, or leave it out.'`,
  ],
  [
    `(unit IN ('day', 'week', 'month')) IS NOT TRUE`,
    `'unit is ' || coalesce('''' || unit || '''', 'NULL') || '. Write ''day'', ''week'' or ''month''.'`,
  ],
]

/** The tables that lead to `member`: each person with the first event and its period. */
const members: TableMacro['tables'] = [
  amongIds,
  // Spans of the whole range are found in less time than those of the events that count.
  ['span', spansOf(spansInMany(`analytics.raw.timed_events e WHERE ${isSince} AND ${isUntil}`), truncated)],
  // For each id and period the first and the last event are enough, and they are far fewer.
  [
    'seen',
    `SELECT e.id_key, ${periodOfMoment(truncated)} AS period,
         min(${orderKey}) FILTER (${isFirst}) AS first_key, max(${orderKey}) FILTER (${isReturn}) AS return_key
       FROM ${eventsAmong} e ${joinSpan()} WHERE ${isHit} GROUP BY 1, 2`,
  ],
  [
    'hit',
    `SELECT ${personKeyOf('s.id_key')} AS person_key, s.period, s.first_key, s.return_key
       FROM seen s LEFT JOIN ${movedIds} m ON m.id_key = s.id_key`,
  ],
  [
    'before',
    `SELECT DISTINCT e.id_key FROM ${eventsAmong} e
       WHERE NOT everybody AND ${isChosen} AND ${isPerson} AND e."timestamp" < from_time::TIMESTAMPTZ AND ${isFirst} AND ${hasId}`,
  ],
  [
    'familiar',
    `SELECT ${personKeyOf('b.id_key')} AS person_key
       FROM before b LEFT JOIN ${movedIds} m ON m.id_key = b.id_key`,
  ],
  [
    'member',
    `SELECT h.person_key, min(h.first_key) AS key, min(h.period) AS cohort
       FROM hit h ANTI JOIN familiar f ON f.person_key = h.person_key
       WHERE h.first_key IS NOT NULL GROUP BY h.person_key`,
  ],
]

export const retention: TableMacro = {
  name: 'retention',
  comment:
    'Of the people who did something for the first time in a period, how many came back, period by period.',
  parameters,
  columns: ['cohort', 'size', 'period', 'people', 'share'],
  problems,
  tables: [
    ...members,
    ['cohorts', 'SELECT c.cohort, count(*) AS size FROM member c GROUP BY c.cohort'],
    [
      'returned',
      `SELECT c.cohort, h.period, count(DISTINCT h.person_key) AS people
       FROM hit h JOIN member c ON c.person_key = h.person_key WHERE h.return_key > c.key
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
         ${periodAfter('c.cohort', 'p.period')} AS began
       FROM (SELECT c.cohort, c.size, unnest(range(date_diff(${known}, c.cohort, b.last_period) + 1)) AS period
         FROM cohorts c, bound b WHERE ${checkDays('(b.last_period - c.cohort)')} IS NULL) p JOIN cohorts c ON c.cohort = p.cohort`,
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

export const retentionPeople: TableMacro = {
  name: 'retention_people',
  comment: 'The people whom retention counts in a cohort, or in one of its periods.',
  parameters: [...parameters, ['of_cohort', 'NULL'], ['of_period', 'NULL']],
  columns: ['person_id'],
  problems: [
    ...problems,
    [
      `of_cohort IS NULL`,
      `'of_cohort is NULL. Write the first day of a cohort, such as DATE ''2026-11-02''.'`,
    ],
  ],
  tables: [
    ...members,
    [
      'found',
      `SELECT c.key FROM member c WHERE c.cohort = of_cohort::DATE AND (of_period IS NULL OR c.person_key IN (
         SELECT h.person_key FROM hit h JOIN member n ON n.person_key = h.person_key
         WHERE h.return_key > n.key AND h.period = ${periodAfter('of_cohort::DATE', 'of_period::INTEGER')}))`,
    ],
    [
      'answer',
      `SELECT coalesce(m.person_id, ${id}) AS person_id FROM found f JOIN ${eventsOfPersons} ON e.seq = ${seqOfKey('f.key')}`,
    ],
  ],
  order: '1',
}

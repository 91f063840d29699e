import {
  choice,
  choiceProblems,
  eventsOfPersons,
  isChosen,
  isSince,
  orderKey,
  personKey,
  propertyOf,
  range,
} from './askedEvents.js'
import { pathOf } from '../urlParts.js'
import type { TableMacro } from './tableMacro.js'

const maxSteps = 12
const steps = Array.from({ length: maxSteps }, (_, at) => at + 1)

const withinUs = 'epoch_us(within::INTERVAL)'
/** Before any event that can still be a step. */
const isInTime = `(until_time IS NULL OR within IS NULL
  OR e."timestamp" <= until_time::TIMESTAMPTZ + to_microseconds(${withinUs}))`
const hasPaths = `list_bool_or(list_transform(steps, lambda s: starts_with(s, '/')))`

const hit = (step: number) => `
SELECT m.person_key, m.key, m.us${step === 1 ? ', m.value' : ''} FROM matched m
WHERE len(steps) >= ${step}
  AND CASE WHEN starts_with(steps[${step}], '/') THEN m.path = steps[${step}] ELSE m.event = steps[${step}] END
  ${step === 1 ? 'AND (until_time IS NULL OR m.us < epoch_us(until_time::TIMESTAMPTZ))' : ''}`

/** Each event that ends a chain of so many steps, with the latest start of such a chain: that start leaves it the most time. */
const reached = (step: number) =>
  step === 1
    ? 'SELECT h.person_key, h.key, h.us, h.us AS start_us FROM hit1 h'
    : `SELECT h.person_key, h.key, h.us, r.start_us FROM hit${step} h
       ASOF JOIN reached${step - 1} r ON r.person_key = h.person_key AND h.key > r.key
       WHERE within IS NULL OR h.us - r.start_us <= ${withinUs}`

/** The chain of each person: of its first step, each earliest next one. */
const chain = (step: number) =>
  step === 1
    ? 'SELECT s.person_key, s.value, s.depth, s.key, s.us, NULL::BIGINT AS us_before FROM started s'
    : `SELECT c.person_key, any_value(c.value) AS value, any_value(c.depth) AS depth, min(h.key) AS key,
         min(h.us) AS us, any_value(c.us) AS us_before
       FROM chain${step - 1} c JOIN hit${step} h ON h.person_key = c.person_key AND h.key > c.key
       WHERE c.depth >= ${step} GROUP BY c.person_key`

export const funnel: TableMacro = {
  name: 'funnel',
  comment: 'How many people took the steps one after the other, within a time from the first.',
  parameters: [['steps'], ['within'], ...range, ['breakdown', 'NULL'], ...choice],
  columns: ['breakdown', 'step', 'name', 'people', 'conversion', 'step_conversion', 'median_seconds'],
  problems: [
    ...choiceProblems,
    [
      `coalesce(len(steps), 0) NOT BETWEEN 1 AND ${maxSteps}`,
      `'steps has ' || coalesce(len(steps), 0) || ' steps. Write a list of 1 to ${maxSteps}, such as [''/pricing'', ''Signed Up''].'`,
    ],
    [
      `len(list_filter(steps, lambda s: s IS NULL OR s = '')) > 0`,
      `'A step is empty. Write the name of an event, or a path that begins with /.'`,
    ],
    [
      `${withinUs} < 0`,
      `'within is ' || within || '. Write how long after the first step the last one may be, such as INTERVAL 7 DAY.'`,
    ],
  ],
  tables: [
    [
      'matched',
      `SELECT ${personKey} AS person_key, ${orderKey} AS key, epoch_us(e."timestamp") AS us, e.event,
         CASE WHEN ${hasPaths} AND e.event = '$pageview' THEN ${pathOf('e.url')} END AS path,
         CASE WHEN breakdown IS NOT NULL THEN ${propertyOf('breakdown')} END AS value
       FROM ${eventsOfPersons}
       WHERE ${isChosen} AND ${isSince} AND ${isInTime} AND coalesce(e.distinct_id, e.anonymous_id) IS NOT NULL
         AND (e.event IN (${steps.map((step) => `steps[${step}]`).join(', ')})
           OR (${hasPaths} AND e.event = '$pageview' AND list_contains(steps, ${pathOf('e.url')})))`,
    ],
    ...steps.map((step) => [`hit${step}`, hit(step)] as const),
    ...steps.map((step) => [`reached${step}`, reached(step)] as const),
    [
      'best',
      `SELECT u.person_key, max(u.depth) AS depth, arg_max(u.us, u.depth) AS us FROM (${steps
        .map(
          (step) =>
            `SELECT r.person_key, ${step} AS depth, min(r.us) AS us FROM reached${step} r GROUP BY r.person_key`,
        )
        .join(' UNION ALL ')}) u GROUP BY u.person_key`,
    ],
    [
      'started',
      `SELECT b.person_key, b.depth, min(h.key) AS key, min(h.us) AS us, arg_min_null(h.value, h.key) AS value
       FROM best b JOIN hit1 h ON h.person_key = b.person_key
       WHERE within IS NULL OR h.us >= b.us - ${withinUs} GROUP BY b.person_key, b.depth`,
    ],
    ...steps.map((step) => [`chain${step}`, chain(step)] as const),
    [
      'counted',
      steps
        .map(
          (step) =>
            `SELECT c.value, ${step} AS step, count(*) AS people, median((c.us::DOUBLE - c.us_before) / 1e6) AS seconds
             FROM chain${step} c GROUP BY c.value`,
        )
        .join(' UNION ALL '),
    ],
    [
      'grid',
      `SELECT v.value, n.step FROM
         (SELECT c.value FROM counted c WHERE c.step = 1 UNION SELECT NULL WHERE breakdown IS NULL) v,
         (SELECT unnest(range(1, len(steps) + 1)) AS step) n`,
    ],
    [
      'filled',
      `SELECT g.value, g.step, coalesce(c.people, 0) AS people, c.seconds FROM grid g
       LEFT JOIN counted c ON c.step = g.step AND c.value IS NOT DISTINCT FROM g.value`,
    ],
    [
      'answer',
      `SELECT f.value AS breakdown, f.step::INTEGER AS step, steps[f.step] AS name, f.people,
         f.people / nullif(first_value(f.people) OVER w, 0) AS conversion,
         f.people / nullif(lag(f.people) OVER w, 0) AS step_conversion, f.seconds AS median_seconds
       FROM filled f WINDOW w AS (PARTITION BY f.value ORDER BY f.step)`,
    ],
  ],
  order: '1 NULLS FIRST, 2',
}

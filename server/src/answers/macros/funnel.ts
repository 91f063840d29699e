import {
  among,
  amongIds,
  anonymous,
  anonymousProblem,
  choice,
  choiceProblems,
  eventsAmong,
  eventsOfPersons,
  hasId,
  id,
  isChosen,
  isNamed,
  isPerson,
  isSince,
  isUntil,
  keyOf,
  movedIds,
  personKeyOf,
  propertyOf,
  range,
  seqOfKey,
  usOfKey,
} from '../../schema/askedEvents.js'
import { maskFactor, maxSteps } from '../../duckdb/histories.js'
import type { TableMacro } from './tableMacro.js'

const steps = Array.from({ length: maxSteps }, (_, at) => at + 1)

const withinUs = 'epoch_us(within::INTERVAL)'
/** Before any event that can still be a step. */
const isInTime = `(until_time IS NULL OR within IS NULL
  OR e."timestamp" <= until_time::TIMESTAMPTZ + to_microseconds(${withinUs}))`
/** By the hash of its name, because DuckDB makes those of a block once and would compare each text with each step. */
const isStep = (name: string) => isNamed(name, `(e.event_key = hash(${name}) AND ${name} IS NOT NULL)`)
/** A bit for each step that an event may be: the first one only inside the range. */
const mask = steps
  .map((step) => {
    const mayBe = `${isStep(`steps[${step}]`)}${step === 1 ? ` AND ${isUntil}` : ''}`
    return `(${mayBe})::INTEGER * ${2 ** (step - 1)}`
  })
  .join(' | ')

/** Which events count for some steps only; NULL: any event may be any step. */
const stepEvents = ['step_events', 'NULL'] as const
const allSteps = 2 ** maxSteps - 1
const bitOf = (step: string) => `(1 << (${step} - 1))`
/** The lists once: DuckDB puts the statements in a macro's argument wherever its name stands. */
const stepLists = ['step_lists', 'SELECT step_events::BIGINT[][] AS lists'] as const
/** The bits of the steps for which an event of the list of that step counts. */
const stepEvent = [
  'step_event',
  `SELECT l.seq, bit_or(${bitOf('l.step')}) AS bits
   FROM (SELECT n.step, unnest(n.lists[n.step]) AS seq
     FROM (SELECT lists, unnest(range(1, len(lists) + 1)) AS step FROM step_lists) n) l
   GROUP BY l.seq`,
] as const
/** The bits of the steps without a list. */
const freeSteps = [
  'free_steps',
  `SELECT ${steps.map((step) => `(lists[${step}] IS NULL)::INTEGER * ${2 ** (step - 1)}`).join(' | ')} AS bits FROM step_lists`,
] as const
/** Events with the bits of the steps that each may be. Of the two parts DuckDB removes one before it runs anything. */
const eventsOfSteps = `(
    SELECT e.*, ${allSteps} AS allowed FROM ${eventsAmong} e WHERE step_events IS NULL
    UNION ALL SELECT e.*, (SELECT bits FROM free_steps) | coalesce(s.bits, 0) AS allowed
    FROM ${eventsAmong} e LEFT JOIN step_event s ON s.seq = e.seq WHERE step_events IS NOT NULL
  )`

const problems: TableMacro['problems'] = [
  ...choiceProblems,
  anonymousProblem,
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
]

/** The events that may be steps. */
const stepsOf = (columns: string, condition: string) => `SELECT ${columns}
  FROM (SELECT e.*, (${mask}) & e.allowed AS mask FROM (SELECT e.*, hash(e.event) AS event_key FROM ${eventsOfSteps} e) e
    WHERE ${isChosen} AND ${isPerson} AND ${isSince} AND ${isInTime} AND ${hasId}) e
  WHERE ${condition}`

/** The tables that lead to `chained`: for each person the keys of the steps that count, and zeros behind them. */
const chains: TableMacro['tables'] = [
  amongIds,
  stepLists,
  stepEvent,
  freeSteps,
  [
    'named',
    stepsOf(`e.id_key, ${keyOf('e."timestamp"', `(e.seq * ${maskFactor} + e.mask)`)} AS key`, 'e.mask <> 0'),
  ],
  [
    'histories',
    `SELECT list(n.key) AS keys FROM named n LEFT JOIN ${movedIds} m ON m.id_key = n.id_key
     GROUP BY ${personKeyOf('n.id_key')}`,
  ],
  [
    'chained',
    `SELECT system.main.waymark_chain(h.keys, coalesce(${withinUs}, 9223372036854775807)) AS keys FROM histories h`,
  ],
]

/** The values of the breakdown at the first step. Where none is asked for, DuckDB reads nothing here. */
const begun = [
  'begun',
  stepsOf(`e.seq, ${propertyOf('breakdown')} AS value`, 'breakdown IS NOT NULL AND e.mask & 1 <> 0'),
] as const

export const funnel: TableMacro = {
  name: 'funnel',
  comment: 'How many people took the steps one after the other, within a time from the first.',
  parameters: [
    ['steps'],
    ['within'],
    ...range,
    ['breakdown', 'NULL'],
    ...choice,
    anonymous,
    among,
    stepEvents,
  ],
  columns: ['breakdown', 'step', 'name', 'people', 'conversion', 'step_conversion', 'median_seconds'],
  problems,
  tables: [
    ...chains,
    [
      'taken',
      `SELECT s.step, c.keys[1] AS start_key, c.keys[s.step] AS key,
         CASE WHEN s.step > 1 THEN c.keys[s.step - 1] END AS key_before
       FROM chained c, (SELECT unnest(range(1, len(steps) + 1)) AS step) s WHERE c.keys[s.step] <> 0`,
    ],
    begun,
    ['valued', `SELECT b.value, t.* FROM taken t LEFT JOIN begun b ON b.seq = ${seqOfKey('t.start_key')}`],
    [
      'counted',
      `SELECT t.value, t.step, count(*) AS people, median((${usOfKey('t.key')}::DOUBLE - ${usOfKey('t.key_before')}) / 1e6) AS seconds
       FROM valued t GROUP BY t.value, t.step`,
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

export const funnelPeople: TableMacro = {
  name: 'funnel_people',
  comment: 'How far each person got in a funnel, and when.',
  parameters: [
    ['steps'],
    ['within'],
    ...range,
    ...choice,
    anonymous,
    among,
    stepEvents,
    ['breakdown', 'NULL'],
    ['breakdown_value', 'NULL'],
  ],
  columns: ['person_id', 'step', '"timestamp"'],
  problems,
  tables: [
    ...chains,
    [
      'reached',
      `SELECT c.keys, coalesce(list_position(c.keys::HUGEINT[], 0), ${maxSteps + 1}) - 1 AS step FROM chained c`,
    ],
    begun,
    [
      'deepest',
      `SELECT r.step, r.keys[r.step] AS key FROM reached r LEFT JOIN begun b ON b.seq = ${seqOfKey('r.keys[1]')}
       WHERE r.step > 0 AND (breakdown IS NULL OR b.value IS NOT DISTINCT FROM breakdown_value::VARCHAR)`,
    ],
    // Texts are read of these events alone.
    [
      'answer',
      `SELECT coalesce(m.person_id, ${id}) AS person_id, d.step::INTEGER AS step, e."timestamp"
       FROM deepest d JOIN ${eventsOfPersons} ON e.seq = ${seqOfKey('d.key')}`,
    ],
  ],
  order: '3 DESC, 1',
}

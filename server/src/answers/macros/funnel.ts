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
  movedIds,
  orderKey,
  personKeyOf,
  propertyOf,
  range,
  seqOfKey,
  usOfKey,
} from '../../schema/askedEvents.js'
import type { TableMacro } from './tableMacro.js'

const maxSteps = 10
const steps = Array.from({ length: maxSteps }, (_, at) => at + 1)
const laterSteps = steps.slice(1)

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

const table = (name: string, step: number, sql: string) => [`${name}${step}`, sql] as const
/** One table for each step, of which those of steps that are not asked for are empty before anything runs. */
const perStep = (name: string, sqlOf: (step: number) => string) =>
  steps.map((step) => table(name, step, sqlOf(step)))

const is = (step: number) => `n.mask & ${2 ** (step - 1)} <> 0`
const start = `min(n.key) AS start_key, min(n.key) AS key, NULL::HUGEINT AS key_before`
const isWithin = (key: string, startKey: string) => `${usOfKey(key)} <= ${usOfKey(startKey)} + ${withinUs}`

/** From the start of each person: of every step the earliest event after the one before. */
const chain = (name: string, step: number, isLimited: boolean) =>
  `SELECT c.person_key, any_value(c.value) AS value, any_value(c.start_key) AS start_key, min(h.key) AS key,
     any_value(c.key) AS key_before
   FROM ${name}${step - 1} c JOIN hit${step} h ON h.person_key = c.person_key AND h.key > c.key
   ${isLimited ? `WHERE ${isWithin('h.key', 'c.start_key')}` : ''} GROUP BY c.person_key`

/** Each event that ends a chain of so many steps, with the latest start of such a chain: it leaves the most time. */
const reached = (step: number) =>
  `SELECT h.person_key, h.key, r.start_key
   FROM (SELECT * FROM hit${step} h SEMI JOIN retried u ON u.person_key = h.person_key) h
   ASOF JOIN reached${step - 1} r ON r.person_key = h.person_key AND h.key > r.key
   WHERE ${isWithin('h.key', 'r.start_key')}`

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

/** The property at the first of some events, where one is asked for. */
const firstAsked = 'CASE WHEN breakdown IS NOT NULL THEN arg_min_null(n.value, n.key) END AS value'

/** The tables that lead to `taken`: a row for each person and step that counts, with when it was taken. */
const chains = (value: string, firstValue: string): TableMacro['tables'] => [
  amongIds,
  [
    'named',
    `SELECT e.id_key, ${orderKey} AS key, e.mask,
         ${value} AS value
       FROM (SELECT e.*, ${mask} AS mask FROM (SELECT e.*, hash(e.event) AS event_key FROM ${eventsAmong} e) e
         WHERE ${isChosen} AND ${isPerson} AND ${isSince} AND ${isInTime} AND ${hasId}) e
       WHERE e.mask <> 0`,
  ],
  [
    'matched',
    `SELECT ${personKeyOf('n.id_key')} AS person_key, n.key, n.mask
       FROM named n LEFT JOIN ${movedIds} m ON m.id_key = n.id_key WHERE n.mask > 1`,
  ],
  ...laterSteps.map((step) =>
    table(
      'hit',
      step,
      `SELECT n.person_key, n.key FROM matched n WHERE len(steps) >= ${step} AND ${is(step)}`,
    ),
  ),
  // The first step is as a rule the most frequent event, so its persons are looked up once an id.
  [
    'began',
    `SELECT n.id_key, min(n.key) AS key, ${firstValue} FROM named n WHERE ${is(1)} GROUP BY n.id_key`,
  ],
  // A person's first start goes as far as any, if it has all the time. Where it took no longer than it
  // may, that is the answer, which spares the search among all starts.
  ...perStep('tried', (step) =>
    step === 1
      ? `SELECT ${personKeyOf('n.id_key')} AS person_key, ${firstValue}, ${start}
           FROM began n LEFT JOIN ${movedIds} m ON m.id_key = n.id_key GROUP BY 1`
      : chain('tried', step, false),
  ),
  [
    'retried',
    laterSteps
      .map((step) => `SELECT t.person_key FROM tried${step} t WHERE NOT ${isWithin('t.key', 't.start_key')}`)
      .join(' UNION '),
  ],
  [
    'hit1',
    `SELECT i.person_key, n.key, n.value FROM named n JOIN (
         SELECT u.person_key, m.id_key FROM retried u JOIN ${movedIds} m ON m.person_key = u.person_key
         UNION SELECT u.person_key, u.person_key FROM retried u
       ) i ON i.id_key = n.id_key WHERE ${is(1)}`,
  ],
  ...perStep('reached', (step) =>
    step === 1 ? 'SELECT h.person_key, h.key, h.key AS start_key FROM hit1 h' : reached(step),
  ),
  // The chain that goes furthest, by its end, and of equal ones the first to get there.
  [
    'best',
    `SELECT u.person_key, arg_max(u.key, u.depth) AS key FROM (${steps
      .map(
        (step) =>
          `SELECT r.person_key, ${step} AS depth, min(r.key) AS key FROM reached${step} r GROUP BY r.person_key`,
      )
      .join(' UNION ALL ')}) u GROUP BY u.person_key`,
  ],
  // Every start from which that end is still in time leads to it, and none goes further: the earliest counts.
  ...perStep('chosen', (step) =>
    step === 1
      ? `SELECT n.person_key, ${firstValue}, ${start}
           FROM best b JOIN hit1 n ON n.person_key = b.person_key
           WHERE ${isWithin('b.key', 'n.key')} GROUP BY n.person_key`
      : chain('chosen', step, true),
  ),
  [
    'taken',
    steps
      .map(
        (step) =>
          `SELECT ${step} AS step, c.* FROM chosen${step} c
             UNION ALL SELECT ${step} AS step, t.* FROM tried${step} t ANTI JOIN retried u ON u.person_key = t.person_key`,
      )
      .join(' UNION ALL '),
  ],
]

export const funnel: TableMacro = {
  name: 'funnel',
  comment: 'How many people took the steps one after the other, within a time from the first.',
  parameters: [['steps'], ['within'], ...range, ['breakdown', 'NULL'], ...choice, anonymous, among],
  columns: ['breakdown', 'step', 'name', 'people', 'conversion', 'step_conversion', 'median_seconds'],
  problems,
  tables: [
    ...chains(`CASE WHEN breakdown IS NOT NULL THEN ${propertyOf('breakdown')} END`, firstAsked),
    [
      'counted',
      `SELECT t.value, t.step, count(*) AS people, median((${usOfKey('t.key')}::DOUBLE - ${usOfKey('t.key_before')}) / 1e6) AS seconds
       FROM taken t GROUP BY t.value, t.step`,
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
  parameters: [['steps'], ['within'], ...range, ...choice, anonymous, among],
  columns: ['person_id', 'step', '"timestamp"'],
  problems,
  tables: [
    ...chains('NULL', 'NULL AS value'),
    [
      'deepest',
      'SELECT max(t.step) AS step, arg_max(t.key, t.step) AS key FROM taken t GROUP BY t.person_key',
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

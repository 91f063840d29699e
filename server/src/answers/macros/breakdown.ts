import {
  choice,
  choiceProblems,
  countPeople,
  hasId,
  isAsked,
  isNamed,
  movedIds,
  people,
  peopleProblem,
  personKeyOf,
  propertyOf,
  range,
} from '../../schema/askedEvents.js'
import type { TableMacro } from './tableMacro.js'

const isCounted = `${isAsked} AND (event IS NULL OR ${isNamed('event')})`

/** A number of 64 bits has one for each value that can be counted so. */
const mostBits = 64
/** A person has many pages and names of events. Of most other properties a person has one value, which gains nothing. */
const byBits = `(people AND property IN ('$path', '$event') AND coalesce(most::BIGINT <= ${mostBits}, false))`
const pageOrName = `CASE property WHEN '$path' THEN e.path ELSE e.event END`

/**
 * To count people, each event is looked up among all pairs of a value and a person. Where a few of the values are
 * wanted, these are found first, and each of them is a bit: then each event is looked up among ids, which are far fewer.
 */
export const breakdown: TableMacro = {
  name: 'breakdown',
  comment: 'Each value of a property, with the people and the events that have it.',
  parameters: [['event'], ['property'], ...range, ...choice, people, ['most', 'NULL']],
  columns: ['value', 'people', 'events'],
  problems: [
    ...choiceProblems,
    peopleProblem,
    [
      `property IS NULL OR property = ''`,
      `'property is empty. Name one, such as ''$utm_source'' or one of your own.'`,
    ],
  ],
  tables: [
    [
      'top',
      `SELECT t.value, t.events, 1::UBIGINT << (row_number() OVER (ORDER BY t.events DESC, t.value) - 1)::UBIGINT AS bit
       FROM (
         SELECT ${pageOrName} AS value, count(*) AS events FROM analytics.raw.marked_timed_events e
         WHERE ${byBits} AND ${isCounted} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT most
       ) t`,
    ],
    [
      'id',
      `SELECT e.id_key, bit_or(t.bit) AS bits
       FROM analytics.raw.marked_timed_events e JOIN top t ON t.value IS NOT DISTINCT FROM ${pageOrName}
       WHERE ${byBits} AND ${isCounted} AND ${hasId} GROUP BY 1`,
    ],
    [
      'pattern',
      `SELECT p.bits, count(*) AS people FROM (
         SELECT ${personKeyOf('i.id_key')} AS person_key, bit_or(i.bits) AS bits
         FROM id i LEFT JOIN ${movedIds} m ON m.id_key = i.id_key GROUP BY 1
       ) p GROUP BY 1`,
    ],
    [
      'answer',
      `SELECT t.value, coalesce(sum(p.people), 0)::BIGINT AS people, t.events
       FROM top t LEFT JOIN pattern p ON p.bits & t.bit <> 0 GROUP BY ALL
       UNION ALL
       (SELECT ${propertyOf('property')} AS value, ${countPeople(personKeyOf('e.id_key'))} AS people, count(*) AS events
       FROM analytics.raw.marked_timed_events e LEFT JOIN ${movedIds} m ON people AND m.id_key = e.id_key
       WHERE NOT ${byBits} AND ${isCounted} GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT most)`,
    ],
  ],
  order: '3 DESC, 1',
}

import { choice, choiceProblems, isAsked, isNamed, propertyOf, range } from './askedEvents.js'
import type { TableMacro } from './tableMacro.js'

export const breakdown: TableMacro = {
  name: 'breakdown',
  comment: 'Each value of a property, with the people and the events that have it.',
  parameters: [['event'], ['property'], ...range, ...choice],
  columns: ['value', 'people', 'events'],
  problems: [
    ...choiceProblems,
    [
      `property IS NULL OR property = ''`,
      `'property is empty. Name one, such as ''$utm_source'' or one of your own.'`,
    ],
  ],
  tables: [
    // An id has a value as a rule several times, so persons are looked up once for both.
    [
      'seen',
      `SELECT ${propertyOf('property')} AS value, e.id_key, count(*) AS events
       FROM analytics.raw.all_events e WHERE ${isAsked} AND (event IS NULL OR ${isNamed('event')}) GROUP BY 1, 2`,
    ],
    [
      'answer',
      `SELECT s.value, count(DISTINCT coalesce(m.person_key, s.id_key)) AS people, sum(s.events)::BIGINT AS events
       FROM seen s LEFT JOIN analytics.raw.id_map m ON m.id_key = s.id_key GROUP BY 1`,
    ],
  ],
  order: '3 DESC, 2 DESC, 1',
}

import {
  choice,
  choiceProblems,
  countPeople,
  isAsked,
  isNamed,
  movedIds,
  people,
  peopleProblem,
  personKeyOf,
  propertyOf,
  range,
} from './askedEvents.js'
import type { TableMacro } from './tableMacro.js'

export const breakdown: TableMacro = {
  name: 'breakdown',
  comment: 'Each value of a property, with the people and the events that have it.',
  parameters: [['event'], ['property'], ...range, ...choice, people],
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
      'answer',
      `SELECT ${propertyOf('property')} AS value, ${countPeople(personKeyOf('e.id_key'))} AS people, count(*) AS events
       FROM analytics.raw.timed_events e LEFT JOIN ${movedIds} m ON people AND m.id_key = e.id_key
       WHERE ${isAsked} AND (event IS NULL OR ${isNamed('event')}) GROUP BY 1`,
    ],
  ],
  order: '3 DESC, 1',
}

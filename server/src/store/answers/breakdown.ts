import {
  choice,
  choiceProblems,
  eventsOfPersons,
  isAsked,
  isNamed,
  personKey,
  propertyOf,
  range,
} from './askedEvents.js'
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
    [
      'answer',
      `SELECT ${propertyOf('property')} AS value, count(DISTINCT ${personKey}) AS people, count(*) AS events
       FROM ${eventsOfPersons} WHERE ${isAsked} AND (event IS NULL OR ${isNamed('event')}) GROUP BY 1`,
    ],
  ],
  order: '3 DESC, 2 DESC, 1',
}

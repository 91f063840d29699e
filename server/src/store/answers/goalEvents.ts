import { choice, choiceProblems, eventsOfPersons, id, isAsked, propertyOf, range } from './askedEvents.js'
import type { TableMacro } from './tableMacro.js'

/** A pattern of LIKE in which only `*` stands for any text. */
const likeSql = (text: string) =>
  `replace(replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_'), '*', '%')`

const isView = `e.event = '$pageview' AND e.path LIKE g.pattern ESCAPE '\\'`

/** The events of one kind of goal. DuckDB reads no event where the goal is of another kind, and of the events only what the kind needs. */
const ofKind = (kind: string, condition: string) =>
  `SELECT e.seq AS event_id, e."timestamp", coalesce(m.person_id, ${id}) AS person_id, e.session_id
   FROM ${eventsOfPersons} JOIN (FROM wanted w WHERE ${kind}) g ON ${condition} WHERE ${isAsked}`

export const goalEvents: TableMacro = {
  name: 'goal_events',
  comment: 'The events that reach a saved goal.',
  parameters: [['goal'], ...range, ...choice],
  columns: ['event_id', '"timestamp"', 'person_id', 'session_id'],
  problems: [
    ...choiceProblems,
    [
      `NOT EXISTS (FROM analytics.raw.saved s WHERE s.kind = 'goal' AND s.name = goal)`,
      `'There is no goal ' || coalesce(goal, 'NULL') || '. The view saved has them all.'`,
    ],
  ],
  tables: [
    [
      'wanted',
      `SELECT v.event, CASE WHEN starts_with(v.event, '/') THEN ${likeSql('v.event')} END AS pattern, v.property, v.value
       FROM (SELECT s.value->>'event' AS event, s.value->>'property' AS property, s.value->>'value' AS value
         FROM analytics.raw.saved s WHERE s.kind = 'goal' AND s.name = goal) v`,
    ],
    [
      'answer',
      [
        ofKind('w.property IS NULL AND w.pattern IS NULL', 'e.event = g.event'),
        ofKind('w.property IS NULL AND w.pattern IS NOT NULL', isView),
        ofKind(
          'w.property IS NOT NULL',
          `${propertyOf('g.property')} = g.value AND CASE WHEN g.event IS NULL THEN true
             WHEN g.pattern IS NULL THEN e.event = g.event ELSE coalesce(${isView}, false) END`,
        ),
      ].join(' UNION ALL '),
    ],
  ],
  order: '1',
}

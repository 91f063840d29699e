import { allEvents } from '../store/archiveSchema.js'
import type { View } from '../store/viewSql.js'

/** Where the name of a property ends: no problem has a colon of its own, but a name may. */
const colon = `strpos(e.plan_problem, ': ')`

export const planDrift: View = {
  name: 'plan_drift',
  comment: 'What is sent and is not in the plan: one row for each event, property, problem and release.',
  from: `${allEvents} e WHERE e.plan_verdict IN ('unplanned', 'invalid')
    GROUP BY e.environment, e.event, e.plan_problem, e.release`,
  columns: [
    ['environment', 'e.environment', 'Environments are apart.'],
    ['event', 'e.event', 'The name of the event.'],
    [
      'property',
      `left(e.plan_problem, ${colon} - 1)`,
      'The property; NULL for an event that is not in the plan.',
    ],
    [
      'problem',
      `coalesce(substr(e.plan_problem, ${colon} + 2), 'is not in the plan')`,
      'What is wrong with it, such as must be a number.',
    ],
    ['release', 'e.release', 'The property $release.'],
    ['first_seen', 'min(e."timestamp")', 'When the first such event happened.'],
    ['last_seen', 'max(e."timestamp")', 'When the last one happened.'],
    ['events', 'count(*)', 'How many there are.'],
  ],
}

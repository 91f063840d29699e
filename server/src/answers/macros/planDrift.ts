import { allEvents } from '../../schema/analyticsSchema.js'
import type { View } from '../../duckdb/quote.js'

/** Where the name of a property ends: no problem has a colon of its own, but a name may. */
const colon = `strpos(e.plan_problem, ': ')`

/** What stands for an event's name where traits are not as planned: no other event has it in this view. */
const ofTraits = '$identify'

/** Verdicts without the traits themselves, which readers need not see. */
export const planTraits: View = {
  name: 'plan_traits',
  comment: 'What the plan says of the traits of each identify, one a row.',
  from: 'analytics.raw.traits t WHERE t.plan_verdict IS NOT NULL',
  columns: [
    ['environment', 't.environment', 'Environments are apart.'],
    ['timestamp', 't."timestamp"', 'When it was said.'],
    ['plan_verdict', 't.plan_verdict', 'Valid or invalid.'],
    ['plan_problem', 't.plan_problem', 'The first problem, such as seats: must be a number.'],
  ],
}

export const planDrift: View = {
  name: 'plan_drift',
  comment: 'What is sent and is not in the plan: one row for each event, property, problem and release.',
  from: `(
      SELECT environment, event, plan_problem, release, "timestamp"
      FROM ${allEvents} WHERE plan_verdict IN ('unplanned', 'invalid')
      UNION ALL
      SELECT environment, '${ofTraits}', plan_problem, NULL, "timestamp"
      FROM analytics.raw.traits WHERE plan_verdict = 'invalid'
    ) e GROUP BY e.environment, e.event, e.plan_problem, e.release`,
  columns: [
    ['environment', 'e.environment', 'Environments are apart.'],
    ['event', 'e.event', `The name of the event; ${ofTraits} for what was said of users.`],
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
    ['events', 'count(*)', 'How many there are, of events or of what was said of users.'],
  ],
}

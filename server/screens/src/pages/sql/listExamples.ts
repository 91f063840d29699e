import { sql, type Sql } from './sql'

export interface Example {
  title: string
  statement: Sql
}

const month = sql`date_trunc('month', now())`

/** What a newcomer may ask, of one environment. */
export const listExamples = (environment: string): Example[] => [
  {
    title: 'Events by name',
    statement: sql`SELECT event, count(*) AS events, count(DISTINCT person_id) AS people
FROM events
WHERE environment = ${environment} AND bot IS NULL
GROUP BY event
ORDER BY events DESC`,
  },
  {
    title: 'Each day of this month',
    statement: sql`FROM daily(${month}, now(), environment := ${environment})`,
  },
  {
    title: 'Bounce rate by channel',
    statement: sql`SELECT channel, count(*) AS sessions, avg(bounced::INTEGER) AS bounce_rate
FROM sessions(${month}, now(), environment := ${environment})
GROUP BY channel
ORDER BY sessions DESC`,
  },
  {
    title: 'A property by its values',
    statement: sql`SELECT prop(properties, 'plan') AS plan, count(*) AS events
FROM events
WHERE environment = ${environment} AND bot IS NULL
GROUP BY plan
ORDER BY events DESC`,
  },
  {
    title: 'The sum of a property by person',
    statement: sql`SELECT person_id, sum(prop_number(properties, 'price')) AS spent, any_value(p.traits) AS traits
FROM events e JOIN persons p USING (environment, person_id)
WHERE environment = ${environment} AND event = 'Order Placed'
GROUP BY person_id
ORDER BY spent DESC
LIMIT 10`,
  },
  {
    title: 'A funnel within a week',
    statement: sql`FROM funnel(['/', '/pricing', 'Signed Up'], INTERVAL 7 DAY, ${month}, environment := ${environment})`,
  },
  {
    title: 'What brought people here at first',
    statement: sql`SELECT coalesce(utm_source, referrer_host, 'direct') AS source, count(*) AS people
FROM first_touch(environment := ${environment})
GROUP BY source
ORDER BY people DESC`,
  },
]

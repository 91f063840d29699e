import { openService, readRange, type Asking } from './askService'
import { CommandError } from './CommandError'

/** A row of the view `plan_drift`. */
interface Drift {
  environment: string
  event: string
  /** Null where it is the event itself that is not in the plan. */
  property: string | null
  problem: string
  release: string | null
  first_seen: string
  last_seen: string
  events: number
}

const describe = ({ environment, event, property, problem, release, first_seen, last_seen, events }: Drift) =>
  [
    event,
    property === null ? problem : `${property}: ${problem}`,
    `${events}×`,
    `${first_seen.slice(0, 10)} to ${last_seen.slice(0, 10)}`,
    release ? `release ${release}` : 'no release',
    environment,
  ].join(' | ')

/** `waymark plan check`: lists what the service found not to be as planned. */
export const checkPlan = async (asking: Asking, env: NodeJS.ProcessEnv): Promise<number> => {
  const { since = '7d' } = asking
  const ask = openService(asking, env)
  const [judged] = await ask(
    `SELECT count(plan_verdict) AS events FROM analytics.main.events WHERE ${readRange(asking, 'timestamp')}`,
  )
  // Silence would pass for agreement.
  if (!Number(judged?.['events']))
    throw new CommandError(
      `The service has compared no event of the last ${since} with a plan: is it started with --plan?`,
    )
  const rows = (await ask(
    `SELECT * FROM analytics.main.plan_drift WHERE ${readRange(asking, 'last_seen')} ORDER BY events DESC, event, problem, release`,
  )) as unknown as Drift[]
  const lines = rows.length
    ? rows.map(describe)
    : [`All ${String(judged!['events'])} events of the last ${since} are as planned.`]
  process.stdout.write(`${lines.join('\n')}\n`)
  return rows.length ? 1 : 0
}

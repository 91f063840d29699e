import { statfs } from 'node:fs/promises'
import { Counter, Gauge, type Metric, Registry } from 'prom-client'
import type { Failing, LogCounts } from '../link/EngineView.js'
import { type EngineVitals, processVitals } from '../link/messages.js'
import { boundsSeconds, type MeteredRoute } from '../http/Listener.js'
import { version } from '../version.js'
import type { Role } from '../options/flags.js'
import type { Exchange, Route } from '../http/Route.js'
import { type Authenticate, BearerTokens, type TokenTries } from '../users/authenticate.js'

/** The sources of the numbers, which are read when a scrape asks for them. */
interface MetricSources {
  routes(): readonly MeteredRoute[]
  /** The number of rows that were accepted, by kind. */
  accepted: Readonly<Record<string, number>>
  logs(): LogCounts[]
  backlog(): { rows: number; bytes: number; lagSeconds: number }
  isAccepting(): boolean
  /** Since when accepted rows are not being stored; undefined when all is well. */
  storing(): Pick<Failing, 'sinceMs'> | undefined
  /** Counts the readers and standbys of a log in PostgreSQL; undefined when the log is in files. */
  sharedLog: (() => { readers: number; standbys: number }) | undefined
  /** The vitals of the engine; undefined while there is none. */
  engine(): EngineVitals | undefined
  /** How many engines were started after the first. */
  engineRestarts(): number
  /** How many statements are refused because they have ended the engine. */
  refusedStatements(): number
  dataFolder: string | undefined
}

type Labels = Record<string, string>
type Values = [value: number, labels?: Labels][]

const routeLabels = ({ method, path }: MeteredRoute) => ({ method, route: path })

/** The values of a histogram in prom-client's form. Its own histogram would make a text of the labels for each answer. */
const durations = (routes: readonly MeteredRoute[], name: string) =>
  routes.flatMap((route) => {
    const labels = routeLabels(route)
    const { buckets, seconds } = route.meter
    let count = 0
    const cumulated = [...boundsSeconds, '+Inf'].map((le, at) => {
      count += buckets[at]!
      return { metricName: `${name}_bucket`, labels: { ...labels, le: String(le) }, value: count }
    })
    return [
      ...cumulated,
      { metricName: `${name}_sum`, labels, value: seconds },
      { metricName: `${name}_count`, labels, value: count },
    ]
  })

/** Makes all metrics of `GET /metrics`. */
export const createRegistry = (sources: MetricSources): Registry => {
  const registry = new Registry()
  const registers = [registry]

  const counter = (name: string, help: string, labelNames: string[], values: () => Values) =>
    new Counter({
      name: `waymark_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const [value, labels = {}] of values()) this.inc(labels, value)
      },
    })
  const gauge = (name: string, help: string, labelNames: string[], values: () => Values | Promise<Values>) =>
    new Gauge({
      name: `waymark_${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        this.reset()
        for (const [value, labels = {}] of await values()) this.set(labels, value)
      },
    })

  gauge('build_info', 'The version that runs, as a label.', ['version'], () => [[1, { version }]])
  counter('http_requests_total', 'Answers by route and status.', ['method', 'route', 'status'], () =>
    sources
      .routes()
      .flatMap((route) =>
        [...route.meter.byStatus].map(([status, count]): Values[number] => [
          count,
          { ...routeLabels(route), status: String(status) },
        ]),
      ),
  )
  const histogram = 'waymark_http_request_duration_seconds'
  const durationHelp = 'How long answers took, by route; a stream counts until its end.'
  registry.registerMetric({
    name: histogram,
    help: durationHelp,
    type: 'histogram',
    get: () =>
      Promise.resolve({
        name: histogram,
        help: durationHelp,
        type: 'histogram',
        values: durations(sources.routes(), histogram),
      }),
  } as unknown as Metric)

  counter('rows_accepted_total', 'Events and users that were accepted.', ['kind'], () =>
    Object.entries(sources.accepted).map(([kind, rows]) => [rows, { kind }]),
  )
  counter('rows_applied_total', 'Rows that left the log, stored or set aside.', ['catalog'], () =>
    sources.logs().map(({ catalog, appliedRows }) => [appliedRows, { catalog }]),
  )
  counter('rows_set_aside_total', 'Rows that could not be stored.', ['catalog'], () =>
    sources.logs().map(({ catalog, setAsideRows }) => [setAsideRows, { catalog }]),
  )
  gauge('backlog_rows', 'Events and users accepted and not yet stored.', [], () => [[sources.backlog().rows]])
  gauge('backlog_bytes', 'The size of the bodies of events and users not yet stored.', [], () => [
    [sources.backlog().bytes],
  ])
  gauge('lag_seconds', 'How long the oldest row waits that is not yet stored.', [], () => [
    [sources.backlog().lagSeconds],
  ])
  gauge('accepting', '1 while events are taken.', [], () => [[sources.isAccepting() ? 1 : 0]])
  gauge('storing_failing', '1 while accepted rows cannot be stored.', [], () => [
    [sources.storing() === undefined ? 0 : 1],
  ])
  gauge('storing_failing_seconds', 'For how long accepted rows could not be stored.', [], () => {
    const { sinceMs } = sources.storing() ?? {}
    return [[sinceMs === undefined ? 0 : (Date.now() - sinceMs) / 1000]]
  })
  const { dataFolder, sharedLog } = sources
  if (sharedLog !== undefined) {
    gauge('log_readers', 'Processes that follow the log in PostgreSQL.', [], () => [[sharedLog().readers]])
    gauge('log_standbys', 'Standbys that follow and that a commit waits for.', [], () => [
      [sharedLog().standbys],
    ])
  }
  if (dataFolder !== undefined) {
    gauge('disk_free_bytes', 'Free space where the data folder is.', [], async () => {
      const { bavail, bsize } = await statfs(dataFolder)
      return [[bavail * bsize]]
    })
  }

  const processes = () => {
    const engine = sources.engine()
    return [
      { process: 'ingest', ...processVitals() },
      ...(engine === undefined ? [] : [{ process: 'engine', ...engine }]),
    ]
  }
  gauge('resident_memory_bytes', 'Memory that a process holds.', ['process'], () =>
    processes().map(({ process, residentBytes }) => [residentBytes, { process }]),
  )
  counter('cpu_seconds_total', 'Processor time of a process.', ['process'], () =>
    processes().map(({ process, cpuSeconds }) => [cpuSeconds, { process }]),
  )
  gauge('engine_up', '1 while the engine answers.', [], () => [[sources.engine() === undefined ? 0 : 1]])
  counter('engine_restarts_total', 'Engines that were started after the first.', [], () => [
    [sources.engineRestarts()],
  ])
  gauge('refused_statements', 'Statements that are refused because they have ended the engine.', [], () => [
    [sources.refusedStatements()],
  ])
  gauge('queries', 'SQL statements under way.', ['state'], () => {
    const { running = 0, waiting = 0 } = sources.engine()?.queries ?? {}
    return [
      [running, { state: 'running' }],
      [waiting, { state: 'waiting' }],
    ]
  })
  counter('queries_total', 'SQL statements that ended, since the engine started.', ['outcome'], () => {
    const { completed = 0, failed = 0, cancelled = 0 } = sources.engine()?.queries ?? {}
    return Object.entries({ completed, failed, cancelled }).map(([outcome, count]) => [count, { outcome }])
  })
  return registry
}

/** `GET /metrics` in the text format of Prometheus, for every user and for clients with the token, which is empty when there is none. */
export const metricsRoute = ({
  registry,
  authenticate,
  metricsToken,
  tries,
}: {
  registry: Registry
  authenticate: Authenticate
  metricsToken: string
  tries: TokenTries
}): Route => {
  const listed = metricsToken === '' ? [] : [metricsToken]
  const tokens = new BearerTokens(listed, { flag: '--metrics-token', tries })
  return {
    method: 'GET',
    path: '/metrics',
    async handle({ request, response }) {
      if (tokens.indexOf(request) < 0) await authenticate(request, response)
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text)
      return undefined
    },
  }
}

interface Health {
  /** Whether this process takes events, answers queries, or does both. */
  role: Role
  /** Whether an event would be taken now. */
  isAccepting(): boolean
  /** What is wrong with the log, as far as it is known. */
  problem(): string | undefined
  isEngineUp(): boolean
  /** Since when accepted rows are not being stored, and why. */
  storing(): Failing | undefined
  backlog(): { rows: number; lagSeconds: number }
}

/** With a longer lag the service reports itself as degraded: somebody should look at the engine. */
const muchLagSeconds = 60

const engineStates = (isUp: boolean, role: Role) => {
  if (role === 'ingest') return 'none'
  return isUp ? 'up' : 'starting'
}

const describeFailing = ({ sinceMs, reason }: Failing) => ({
  failing_since: new Date(sinceMs).toISOString(),
  reason,
})

/** `GET /healthz`, for load balancers: 503 while the process refuses the requests that its role is for. */
export const healthRoutes = (health: Health): Route[] => {
  const handle = ({ request, response }: Exchange) => {
    const isAccepting = health.isAccepting()
    const isUp = health.isEngineUp()
    const { role } = health
    const { rows, lagSeconds } = health.backlog()
    const storing = health.storing()
    const reason = health.problem() ?? storing?.reason
    const isWell = (isAccepting || role === 'engine') && (isUp || role === 'ingest') && reason === undefined
    const body = {
      status: isWell && lagSeconds < muchLagSeconds ? 'ok' : 'degraded',
      accepting: isAccepting,
      ...(reason === undefined ? {} : { reason }),
      ...(storing === undefined ? {} : { storing: describeFailing(storing) }),
      engine: engineStates(isUp, role),
      lag_seconds: Math.round(lagSeconds * 10) / 10,
      backlog_rows: rows,
      version,
    }
    response.writeHead((role === 'engine' ? isUp : isAccepting) ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body))
    return Promise.resolve(undefined)
  }
  return (['GET', 'HEAD'] as const).map((method) => ({
    method,
    path: '/healthz',
    handle,
  }))
}

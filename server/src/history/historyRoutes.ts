import { quoteText } from '../duckdb/quote.js'
import { refuse } from '../http/HttpError.js'
import { bodyReader, checkParameters } from '../http/readJson.js'
import { type Exchange, historyPath, type Route } from '../http/Route.js'
import type { EngineProxy } from '../link/EngineProxy.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser } from '../users/Identity.js'
import { fields } from './csv.js'
import { type Asked, type Imports, type ImportsOptions, sources } from './Imports.js'

/** Which columns the fields of events are in, as the parameters say. */
const readMap = (parameters: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...parameters].filter(([name, value]) => fields[name] !== undefined && value !== ''))

const hostForm = /^[a-z\d.-]{1,253}(?::\d{1,5})?$/i

const readAsked = (search: string, environments: ReadonlySet<string>): Asked => {
  const parameters = new URLSearchParams(search)
  checkParameters(parameters, ['source', 'environment', 'name', 'site', ...Object.keys(fields)])
  const source = sources.find((each) => each === parameters.get('source'))
  if (source === undefined)
    throw refuse(400, 'invalid-parameter', `source must be one of ${sources.join(', ')}.`)
  const environment = parameters.get('environment') ?? 'production'
  if (!environments.has(environment))
    throw refuse(400, 'invalid-parameter', `environment must be one of ${[...environments].join(', ')}.`)
  const site = parameters.get('site') || 'site.invalid'
  if (!hostForm.test(site))
    throw refuse(400, 'invalid-parameter', 'site must be a host, such as www.example.com.')
  const name = (parameters.get('name') ?? 'file').slice(0, 200)
  return { source, environment, name, site, map: readMap(parameters) }
}

const readUndo = bodyReader<{ imported: string }>(
  {
    type: 'object',
    required: ['imported'],
    properties: { imported: { type: 'string', minLength: 1, maxLength: 200 } },
  },
  4096,
)

/** What is accepted meanwhile waits until so many events are taken back: some tenths of a second. */
const undoneAtOnce = 20_000

/** `/history` imports the exports of other programs, for users who may write. */
export const historyRoutes = (
  options: ImportsOptions & { authenticate: Authenticate; imports: Imports; proxy: EngineProxy },
): Route[] => {
  const { authenticate, imports, environments, intake, proxy } = options
  const countEvents = async (imported: string, user: string): Promise<number> => {
    const statement = `SELECT coalesce(sum(events), 0)::BIGINT AS events FROM analytics.imports WHERE imported = ${quoteText(imported)}`
    const body = { statement, format: 'jsonl', ephemeral: true }
    const found = (await proxy.ask('/query', { user, role: 'read' }, body)) as { events: number } | undefined
    if (found !== undefined) return found.events
    throw refuse(503, 'engine-starting', 'The query engine gives no answer. Send again in a moment.')
  }
  /** Puts into the log that some of an import is taken back, and waits until it is. */
  const takeBack = async (undone: { imported: string; most?: number }, user: string): Promise<string> => {
    const { taskId, deadLetter } = await intake.accept(
      {
        kind: 'undo',
        count: 1,
        receivedAtMs: Date.now(),
        body: Buffer.from(JSON.stringify([undone])),
        target: JSON.stringify({ user }),
      },
      true,
    )
    if (deadLetter !== undefined) throw refuse(409, 'not-undone', deadLetter.reason)
    return taskId
  }
  const route = (
    method: Route['method'],
    path: string,
    handle: (exchange: Exchange, user: string) => Promise<object | void>,
  ): Route => ({
    method,
    path: historyPath + path,
    async handle(exchange) {
      const { user, role } = await authenticate(exchange.request, exchange.response)
      if (role === 'read') throw readOnlyUser()
      const body = (await handle(exchange, user)) ?? { import: imports.state }
      return { status: 200, body, headers: { 'cache-control': 'no-store' } }
    },
  })
  return [
    route('GET', '', async () => undefined),
    route('POST', '', async ({ request, search }) =>
      imports.receive(request, readAsked(search, environments)),
    ),
    route('DELETE', '', async () => imports.drop()),
    route('POST', '/read', async ({ search }) => {
      const parameters = new URLSearchParams(search)
      checkParameters(parameters, Object.keys(fields))
      imports.read(readMap(parameters))
    }),
    route('POST', '/start', async () => imports.start()),
    route('POST', '/undo', async ({ request }, user) => {
      const { imported } = await readUndo(request)
      let taskId: string | undefined
      await imports.takeBack(async () => {
        const events = await countEvents(imported, user)
        for (let left = events; left > undoneAtOnce; left -= undoneAtOnce)
          await takeBack({ imported, most: undoneAtOnce }, user)
        taskId = await takeBack({ imported }, user)
      })
      return { ok: true, task_id: taskId }
    }),
  ]
}

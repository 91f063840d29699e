import { readBody } from '../http/readBody.js'
import { parseWhole } from '../http/readJson.js'
import type { Route } from '../http/Route.js'
import { readIdentity } from '../users/Identity.js'
import { messageOf, refuseField } from '../sql/refuse.js'
import { version } from '../version.js'
import { agentWithPersons } from './McpTokens.js'
import {
  findMetric,
  type Given,
  type Metric,
  metricsStatement,
  readMetric,
  toolsOf,
  usualLimit,
} from './tools.js'
import { readTable, type TableReader } from '../sql/readTable.js'

/** More are not looked through. */
const mostMetrics = 500

interface Asking {
  user: string
  /** Aborted when the agent has gone. */
  signal: AbortSignal
}

const readsOnly = () => refuseField('An agent only reads.')

const metricsOf = async (options: TableReader, asking: Asking): Promise<Metric[]> => {
  const query = { ...asking, statement: metricsStatement, limit: mostMetrics, readsOnly: readsOnly() }
  const { rows } = await readTable(options, query)
  return rows.map((row) => readMetric(row))
}

const instructions =
  'If a certified metric of list_metrics is what was asked for, answer with it (tool metric), and say so.'

/** A new metric is named in the description of a tool when tools are listed again: nobody need wait for news of that. */
const noSubscriptions = { maxSubscriptions: 0 }

/** Few services have agents, and none pays for the protocol at its start. */
const loadProtocol = async () => {
  const { createMcpHandler, fromJsonSchema, McpServer } = await import('@modelcontextprotocol/server')
  const withSchemas = (seesPersons: boolean) =>
    toolsOf(seesPersons).map((tool) => ({ ...tool, inputSchema: fromJsonSchema<Given>(tool.schema) }))
  const [figures, withPersons] = [withSchemas(false), withSchemas(true)]

  /** Makes a server for one request, which keeps nothing. */
  return (options: TableReader, { user, signal }: Asking, named: readonly Metric[]) =>
    createMcpHandler(() => {
      const server = new McpServer({ name: 'waymark', version }, { instructions })
      const known = named.map((each) => `${each.name}: ${each.definition}`).join('\n')
      const tools = user === agentWithPersons ? withPersons : figures
      for (const { name, description: about, statement, metric, inputSchema } of tools) {
        const description = metric !== undefined && known !== '' ? `${about}\n${known}` : about
        const annotations = { readOnlyHint: true, openWorldHint: false }
        server.registerTool(name, { description, inputSchema, annotations }, async (given) => {
          const { limit = usualLimit, time_zone: timezone = 'UTC' } = given
          try {
            const found = metric && findMetric(await metricsOf(options, { user, signal }), metric(given))
            const asked = statement(given, found)
            const query = { user, statement: asked, limit, timezone, signal, readsOnly: readsOnly() }
            const rows = await readTable(options, query)
            const { answer: _, ...told } = found ?? {}
            const table = found ? { metric: told, ...rows } : rows
            return { content: [{ type: 'text', text: JSON.stringify(table) }], structuredContent: table }
          } catch (error) {
            return { content: [{ type: 'text', text: messageOf(error) }], isError: true }
          }
        })
      }
      return server
    }, noSubscriptions)
}
let protocol: ReturnType<typeof loadProtocol> | undefined

const maxBodyBytes = 256 * 1024

/** `POST /mcp` in the engine: the Model Context Protocol over streamable HTTP, without sessions. */
export const mcpRoute = (options: TableReader): Route => ({
  method: 'POST',
  path: '/mcp',
  async handle({ request, response }) {
    const { user } = readIdentity(request)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const { text, value } = parseWhole(await readBody(request, maxBodyBytes))
    const headers = Object.entries(request.headers).flatMap(([name, header]) =>
      typeof header === 'string' ? [[name, header] as [string, string]] : [],
    )
    protocol ??= loadProtocol()
    const asking = { user, signal: gone.signal }
    const isListing = (value as { method?: unknown } | null)?.method === 'tools/list'
    // Tools are listed also while no query is answered.
    const named = isListing ? await metricsOf(options, asking).catch(() => []) : []
    const handler = (await protocol)(options, asking, named)
    const answer = await handler.fetch(
      new Request('http://engine/mcp', { method: 'POST', headers, body: text }),
      { parsedBody: value },
    )
    const bytes = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      'content-length': bytes.length,
    })
    response.end(bytes)
    return undefined
  },
})

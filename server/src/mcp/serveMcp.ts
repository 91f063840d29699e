import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { JsonBody } from '../http/readJson.js'
import { messageOf, refuseField } from '../sql/refuse.js'
import { version } from '../version.js'
import { agentWithPersons } from './McpTokens.js'
import { type Given, toolsOf, usualLimit } from './tools.js'
import { refuse } from '../http/HttpError.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import type { Cancellation } from '../sql/Cancellation.js'
import type { QueryRunner } from '../sql/QueryRunner.js'

const maxMs = 30_000
const maxBytes = 256 * 1024

/** What an agent reads of an answer. */
export interface Table {
  [name: string]: unknown
  columns: string[]
  rows: unknown[][]
  /** Whether there are more rows than these. */
  isCut: boolean
}

export interface RunForAgent {
  runner: QueryRunner
  newCancellation(): Cancellation
}

export interface AgentQuery {
  user: string
  statement: string
  limit: number
  timezone?: string | undefined
  /** Aborted when the agent has gone. */
  signal: AbortSignal
}

/** Runs a statement that reads, and gives its first rows: up to `limit`, 256 KiB and 30 seconds. */
export const runForAgent = async (
  { runner, newCancellation }: RunForAgent,
  { user, statement, limit, timezone, signal }: AgentQuery,
): Promise<Table> => {
  const cancellation = newCancellation()
  const timer = setTimeout(() => cancellation.cancel('timeout'), maxMs)
  const leave = () => cancellation.cancel('gone')
  signal.addEventListener('abort', leave)
  try {
    const query = await runner.run({
      user,
      role: 'read',
      userAgent: null,
      request: {
        statement,
        catalog: analyticsCatalog,
        schema: 'main',
        ephemeral: true,
        timezone: timezone ?? null,
      },
      layout: 'array',
      page: { limit: limit + 1 },
      readsOnly: refuseField('An agent only reads.'),
      cancellation,
    })
    try {
      if ('file' in query.rows) throw refuse(500, 'internal', 'The answer is a file.')
      const { names } = query.rows
      const lines: string[] = []
      let bytes = 0
      for (let some = await query.rows.next(); some !== undefined; some = await query.rows.next()) {
        for (const line of some.toString().split('\n')) {
          bytes += Buffer.byteLength(line)
          if (line !== '' && bytes <= maxBytes) lines.push(line)
        }
      }
      await query.end()
      const rows = lines.slice(0, limit).map((line) => JSON.parse(line) as unknown[])
      return { columns: [...names], rows, isCut: lines.length > limit || bytes > maxBytes }
    } catch (error) {
      throw query.fail(error)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

const withSchemas = (seesPersons: boolean) =>
  toolsOf(seesPersons).map((tool) => ({ ...tool, inputSchema: fromJsonSchema<Given>(tool.schema) }))
const [figures, withPersons] = [withSchemas(false), withSchemas(true)]

const createServer = (options: RunForAgent, user: string, signal: AbortSignal): McpServer => {
  const server = new McpServer({ name: 'waymark', version })
  for (const { name, description, statement, inputSchema } of user === agentWithPersons
    ? withPersons
    : figures) {
    const annotations = { readOnlyHint: true, openWorldHint: false }
    server.registerTool(name, { description, inputSchema, annotations }, async (given) => {
      const { limit = usualLimit, time_zone: timezone = 'UTC' } = given
      try {
        const asked = statement(given)
        const table = await runForAgent(options, { user, statement: asked, limit, timezone, signal })
        return { content: [{ type: 'text', text: JSON.stringify(table) }], structuredContent: table }
      } catch (error) {
        return { content: [{ type: 'text', text: messageOf(error) }], isError: true }
      }
    })
  }
  return server
}

/** The tools never change while the service runs, so nobody need wait for news of them. */
const noSubscriptions = { maxSubscriptions: 0 }

export interface McpRequest {
  user: string
  headers: readonly [name: string, value: string][]
  body: JsonBody
  /** Aborted when the agent has gone. */
  signal: AbortSignal
}

/** Answers one request of the Model Context Protocol by a server of its own, which keeps nothing. */
export const serveMcp = async (
  options: RunForAgent,
  { user, headers, body, signal }: McpRequest,
): Promise<Response> => {
  const handler = createMcpHandler(() => createServer(options, user, signal), noSubscriptions)
  const request = new Request('http://engine/mcp', { method: 'POST', headers: [...headers], body: body.text })
  return handler.fetch(request, { parsedBody: body.value })
}

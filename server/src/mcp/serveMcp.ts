import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { JsonBody } from '../http/readJson.js'
import { messageOf } from '../sql/refuse.js'
import { version } from '../version.js'
import { agentWithPersons } from './McpTokens.js'
import { type RunForAgent, runForAgent } from './runForAgent.js'
import { type Given, toolsOf, usualLimit } from './tools.js'

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

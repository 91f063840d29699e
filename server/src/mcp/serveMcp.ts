import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { JsonBody } from '../http/readJson.js'
import { messageOf } from '../sql/refuse.js'
import { version } from '../version.js'
import { agentWithPersons } from './McpTokens.js'
import { type RunForAgent, runForAgent } from './runForAgent.js'
import { fewestPeople, tools } from './tools.js'

const createServer = (options: RunForAgent, user: string, signal: AbortSignal): McpServer => {
  const server = new McpServer({ name: 'waymark', version })
  const seesPersons = user === agentWithPersons
  for (const { name, description, schema, statement, isOfPersons } of tools) {
    if (isOfPersons && !seesPersons) continue
    const annotations = { readOnlyHint: true, openWorldHint: false }
    server.registerTool(name, { description, inputSchema: schema, annotations }, async (given) => {
      const { limit, time_zone: timezone } = given as { limit: number; time_zone?: string }
      try {
        const asked = statement(given, seesPersons ? 1 : fewestPeople)
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

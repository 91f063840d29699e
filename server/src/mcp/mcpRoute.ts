import { readBody } from '../http/readBody.js'
import { parseWhole } from '../http/readJson.js'
import type { Route } from '../http/Route.js'
import { readIdentity } from '../users/Identity.js'
import { messageOf, refuseField } from '../sql/refuse.js'
import { version } from '../version.js'
import { agentWithPersons } from './McpTokens.js'
import { type Given, toolsOf, usualLimit } from './tools.js'
import { readTable, type TableReader } from '../sql/readTable.js'

/** The tools never change while the service runs, so nobody need wait for news of them. */
const noSubscriptions = { maxSubscriptions: 0 }

/** Few services have agents, and none pays for the protocol at its start. */
const loadProtocol = async () => {
  const { createMcpHandler, fromJsonSchema, McpServer } = await import('@modelcontextprotocol/server')
  const withSchemas = (seesPersons: boolean) =>
    toolsOf(seesPersons).map((tool) => ({ ...tool, inputSchema: fromJsonSchema<Given>(tool.schema) }))
  const [figures, withPersons] = [withSchemas(false), withSchemas(true)]

  /** Makes a server for one request, which keeps nothing. */
  return (options: TableReader, user: string, signal: AbortSignal) =>
    createMcpHandler(() => {
      const server = new McpServer({ name: 'waymark', version })
      const tools = user === agentWithPersons ? withPersons : figures
      for (const { name, description, statement, inputSchema } of tools) {
        const annotations = { readOnlyHint: true, openWorldHint: false }
        server.registerTool(name, { description, inputSchema, annotations }, async (given) => {
          const { limit = usualLimit, time_zone: timezone = 'UTC' } = given
          try {
            const asked = statement(given)
            const table = await readTable(options, {
              user,
              statement: asked,
              limit,
              timezone,
              signal,
              readsOnly: refuseField('An agent only reads.'),
            })
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
    const handler = (await protocol)(options, user, gone.signal)
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

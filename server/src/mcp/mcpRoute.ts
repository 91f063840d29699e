import { lakehouseError } from '../http/HttpError.js'
import { readBody } from '../http/readBody.js'
import { parseJson } from '../http/readJson.js'
import type { Route } from '../http/Route.js'
import { readIdentity } from '../users/Identity.js'
import type { RunForAgent } from './serveMcp.js'

const maxBodyBytes = 256 * 1024

/** `POST /mcp` in the engine: the Model Context Protocol over streamable HTTP, without sessions. */
export const mcpRoute = (options: RunForAgent): Route => ({
  method: 'POST',
  path: '/mcp',
  writeError: lakehouseError,
  async handle({ request, response }) {
    const { user } = readIdentity(request)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = parseJson(await readBody(request, maxBodyBytes))
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    )
    // Few services have agents, and none pays for them at its start.
    const { serveMcp } = await import('./serveMcp.js')
    const answer = await serveMcp(options, { user, headers, body, signal: gone.signal })
    const bytes = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      'content-length': bytes.length,
    })
    response.end(bytes)
    return undefined
  },
})

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Service } from '../fixtures/createService.js'

/** An agent that is let in by this token. */
export const connect = async (service: Service, token: string) => {
  const client = new Client({ name: 'a scripted agent', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit }))
  return client
}

interface Table {
  columns: string[]
  rows: unknown[][]
  isCut: boolean
}

export const call = async (client: Client, name: string, given: object) => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...given } })
  const { text } = content[0] as { text: string }
  return { isError: isError === true, text, table: structuredContent as Table }
}

import type { IncomingMessage } from 'node:http'
import type { ClientStart } from '../ClientState.js'

/** The protocol to which the ingest process upgrades a connection to the engine's socket, for one client. */
export const postgresProtocol = 'waymark-postgres'

const header = 'x-waymark-client'

/** The headers that tell the engine who the client is. The ingest process has checked the password. */
export const writeStart = (start: ClientStart): Record<string, string> => ({
  connection: 'upgrade',
  upgrade: postgresProtocol,
  [header]: Buffer.from(JSON.stringify(start)).toString('base64url'),
})

export const readStart = (request: IncomingMessage): ClientStart =>
  JSON.parse(Buffer.from(String(request.headers[header]), 'base64url').toString()) as ClientStart

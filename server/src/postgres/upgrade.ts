import type { IncomingMessage } from 'node:http'
import type { WireStart } from './WireConnection.js'

/** The protocol that a connection to the engine's socket is upgraded to, for one client. */
export const postgresProtocol = 'waymark-postgres'

const header = 'x-waymark-client'

/** Says to the engine who the client is, which the ingest process has made sure of. */
export const writeStart = (start: WireStart): Record<string, string> => ({
  connection: 'upgrade',
  upgrade: postgresProtocol,
  [header]: Buffer.from(JSON.stringify(start)).toString('base64url'),
})

export const readStart = (request: IncomingMessage): WireStart =>
  JSON.parse(Buffer.from(String(request.headers[header]), 'base64url').toString()) as WireStart

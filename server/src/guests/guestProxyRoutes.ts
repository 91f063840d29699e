import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { lakehouseError } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { EngineProxy } from '../link/EngineProxy.js'
import { type Guest, framesPath, guestPath, idLength } from '../users/Identity.js'

/** A header of its own: a guest never counts as a user, whatever else a request carries. */
export const linkHeader = 'x-waymark-link'

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Only the hash of a token goes any further. */
const guestOf = ({ headers }: IncomingMessage): Guest => ({
  user: hashToken(String(headers[linkHeader] ?? '')),
  role: 'guest',
})

/** `/guest` in the ingest process: it passes a guest's question to the engine, and never as anybody else's. */
export const guestProxyRoutes = (proxy: EngineProxy): Route[] =>
  (['GET', 'POST'] as const).map((method) => ({
    method,
    path: guestPath,
    writeError: lakehouseError,
    async handle({ request, response }) {
      await proxy.forward({ request, response, identity: guestOf(request), isReading: true })
      return undefined
    },
  }))

const idForm = new RegExp(`^[\\da-f]{${idLength}}$`)

/** Who may show the page of a link in a frame; nobody, where there is no such link or no engine to ask. */
export const framesOf =
  (proxy: EngineProxy) =>
  async (id: string): Promise<readonly string[]> => {
    if (!idForm.test(id)) return []
    const found = await proxy.ask(`${framesPath}${id}`, { user: '', role: 'guest' })
    return (found as { origins: string[] } | undefined)?.origins ?? []
  }

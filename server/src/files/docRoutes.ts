import { fileURLToPath } from 'node:url'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import { FileCache } from './FileCache.js'
import { sendFile } from './sendFile.js'

/** The folder into which `npm run build` puts the docs. */
const usualFolder = fileURLToPath(new URL('../../docs', import.meta.url))

const pageForm = /^[\w-]+\.md$/

/** Serves the docs as Markdown at `/docs/…`, and their list at `/llms.txt`, for agents and for whoever has no other copy. */
export const docRoutes = (folder = usualFolder): Route[] => {
  const files = new FileCache(folder)
  const send = async (exchange: Exchange, name: string) => {
    const file = await files.find(name)
    if (file === undefined)
      throw refuse(404, 'not-found', `There is no page ${name.slice(0, 200)}; /llms.txt lists them.`)
    sendFile(exchange, file, { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    return undefined
  }
  const page = (exchange: Exchange) => {
    const name = exchange.parameters[0]!
    return send(exchange, pageForm.test(name) ? name : '')
  }
  return (['GET', 'HEAD'] as const).flatMap((method) => [
    {
      method,
      path: '/llms.txt',
      handle: (exchange: Exchange) => send(exchange, 'llms.txt'),
      writeError: lakehouseError,
    },
    { method, path: '/docs/{page}', handle: page, writeError: lakehouseError },
  ])
}

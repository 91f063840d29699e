import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import { type CachedFile, FileCache, immutable, sendFile } from './FileCache.js'

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

/** The start of the files' paths: `/waymark.iife.js`, or `/waymark.iife.0123456789abcdef.js` with a hash. */
export const filePrefix = '/waymark.'

const form = /^\/waymark\.([a-z-]+)(?:\.([0-9a-f]{16}))?\.js(\.map)?$/

/** A page that names a file without its hash looks for a new version this often. */
const freshSeconds = 3600

/** The folder into which this repository builds the library comes first, because packed files may be older; then the folder of a published service. */
const usualFolders = ['../../../dist', '../../browser'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const cacheControl = (namedHash: string | null, { hash }: CachedFile) => {
  if (!namedHash) return `public, max-age=${freshSeconds}`
  return namedHash === hash ? immutable : 'no-cache'
}

/**
 * Serves the library's files, so that a proxy has to pass on only the service. Pages of any origin may load them, with
 * `integrity` and under `Cross-Origin-Embedder-Policy`, too. Without a folder the files that come with the service are
 * served.
 */
export const fileRoutes = (given: string): Route[] => {
  const folder = given || usualFolders.find((each) => existsSync(join(each, 'waymark.iife.js')))
  const files = folder === undefined ? undefined : new FileCache(folder)
  const handle = async (exchange: Exchange) => {
    const { path, search } = exchange
    const [, name, hashInName, map = ''] = form.exec(path) ?? []
    const file = name && (await files?.find(`waymark.${name}.js${map}`))
    if (!file) {
      const message = `There is no file ${path.slice(0, 200)}. The library's files are taken from the folder given by --files.`
      throw refuse(404, 'not-found', message)
    }
    sendFile(exchange, file, {
      'cache-control': cacheControl(hashInName ?? new URLSearchParams(search).get('v'), file),
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    return undefined
  }
  const path = `${filePrefix}{file}`
  return (['GET', 'HEAD'] as const).map((method) => ({ method, path, handle, writeError: lakehouseError }))
}

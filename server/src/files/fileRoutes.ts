import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import { type CachedFile, FileCache } from './FileCache.js'
import { immutable, sendFile } from './sendFile.js'

/** Where the files lie: `/waymark.iife.js`, or `/waymark.iife.0123456789abcdef.js`. */
export const filePrefix = '/waymark.'

const form = /^\/waymark\.([a-z-]+)(?:\.([0-9a-f]{16}))?\.js(\.map)?$/

/** A page without a hash looks for a new version this often. */
const freshSeconds = 3600

/** Where this repository builds the library (what was packed from it may be older), or beside a published service. */
const usualFolders = ['../../../dist', '../../browser'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const cacheControl = (asked: string | null, { hash }: CachedFile) => {
  if (!asked) return `public, max-age=${freshSeconds}`
  return asked === hash ? immutable : 'no-cache'
}

/**
 * The library's own files, so that a site needs to pass on one path alone. A page of any origin may load them, also by a
 * tag with `integrity`, and on a page that embeds only what allows it (`Cross-Origin-Embedder-Policy`). Without a folder
 * they are those that come with this service.
 */
export const fileRoutes = (given: string): Route[] => {
  const folder = given || usualFolders.find((each) => existsSync(join(each, 'waymark.iife.js')))
  const files = folder === undefined ? undefined : new FileCache(folder)
  const handle = async (exchange: Exchange) => {
    const { path, search } = exchange
    const [, name, inName, map = ''] = form.exec(path) ?? []
    const file = name && (await files?.find(`waymark.${name}.js${map}`))
    if (!file) {
      const message = `There is no file ${path.slice(0, 200)}. The library's files are taken from the folder given by --files.`
      throw refuse(404, 'not-found', message)
    }
    sendFile(exchange, file, {
      'cache-control': cacheControl(inName ?? new URLSearchParams(search).get('v'), file),
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    return undefined
  }
  const path = `${filePrefix}{file}`
  return (['GET', 'HEAD'] as const).map((method) => ({ method, path, handle, writeError: lakehouseError }))
}

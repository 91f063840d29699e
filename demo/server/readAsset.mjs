import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogue } from './catalogue.mjs'
import { drawSheet } from './drawSheet.mjs'

const site = fileURLToPath(new URL('../site', import.meta.url))
const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const require = createRequire(import.meta.url)

/** @type {Record<string, string>} */
const types = {
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const typefaces = new Map([
  ['/type/alegreya.woff2', '@fontsource-variable/alegreya/files/alegreya-latin-wght-normal.woff2'],
  ['/type/alegreya-italic.woff2', '@fontsource-variable/alegreya/files/alegreya-latin-wght-italic.woff2'],
  [
    '/type/instrument.woff2',
    '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
  ],
])

const sheets = new Map(catalogue.map((sheet) => [`/sheets/${sheet.slug}.svg`, drawSheet(sheet)]))

/** The file that a path stands for. @param {string} path */
function findFile(path) {
  if (/^\/(waymark\.iife|lakehouse)\.js(\.map)?$/.test(path)) return join(dist, path)
  const typeface = typefaces.get(path)
  if (typeface) return require.resolve(typeface)
  // The URL parser has resolved every `..` already; `normalize` covers an encoded one.
  if (path.startsWith('/site/')) return join(site, normalize(decodeURI(path.slice('/site'.length))))
  return undefined
}

/**
 * What stands at a path that is no page: the built library, a drawn sheet, or a file of the site.
 * @param {string} path
 * @returns {Promise<{ body: string | Uint8Array, type: string, headers?: Record<string, string> } | undefined>}
 */
export async function readAsset(path) {
  const sheet = sheets.get(path)
  if (sheet)
    return {
      body: sheet,
      type: types['.svg'],
      // The drawing carries its own style element.
      headers: { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" },
    }
  try {
    const file = findFile(path)
    return file === undefined
      ? undefined
      : { body: await readFile(file), type: types[extname(file)] ?? 'text/plain' }
  } catch {
    return undefined
  }
}

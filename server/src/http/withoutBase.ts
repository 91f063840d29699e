import type { IncomingMessage } from 'node:http'

/** The prefixes of requests that came with one. */
const bases = new WeakMap<IncomingMessage, string>()

/** Takes the prefix that a proxy has left off the request's address. */
export const takeBase = (request: IncomingMessage, basePath: string): void => {
  const { url = '/' } = request
  if (basePath === '' || !url.startsWith(basePath)) return
  const rest = url.slice(basePath.length)
  if (rest !== '' && !rest.startsWith('/') && !rest.startsWith('?')) return
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  bases.set(request, basePath)
}

/** The prefix that a request came with; empty when it came without. */
export const baseOf = (request: IncomingMessage): string => bases.get(request) ?? ''

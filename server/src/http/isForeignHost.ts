import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { CompleteOptions } from '../options/ServerOptions.js'

const hostOf = (url: string): string | undefined => {
  try {
    return new URL(url).hostname.replaceAll(/^\[|\]$/g, '')
  } catch {
    return undefined
  }
}

const isLocal = (host: string) => host === 'localhost' || host.endsWith('.localhost')
const isLoopback = (host: string) => isLocal(host) || host === '::1' || host.startsWith('127.')

/**
 * Whether a request names a host that cannot be this service's: a page can make its own name lead to this machine.
 * Only a service that listens on this machine alone, without `--trust-proxy`, knows all names that lead to it: its
 * address, `localhost`, and those of `--origins`.
 */
export const isForeignHost = (
  { headers }: IncomingMessage,
  { host, trustProxy, origins }: Pick<CompleteOptions, 'host' | 'trustProxy' | 'origins'>,
): boolean => {
  if (!isLoopback(host) || trustProxy > 0) return false
  const asked = hostOf(`http://${headers.host ?? ''}`)
  if (asked === undefined) return true
  return isIP(asked) === 0 && !isLocal(asked) && !origins.some((origin) => hostOf(origin) === asked)
}

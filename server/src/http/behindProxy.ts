import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Logger } from '../Logger.js'

const ownMachine = /^(?:::1|(?:::ffff:)?127\.)/

/** Each proxy adds the address that it was asked from at the end. */
const forwardedAddresses = ({ headers }: IncomingMessage): string[] =>
  headers['x-forwarded-for']
    ?.toString()
    .split(',')
    .map((each) => each.trim()) ?? []

/** Whether the client is on this machine. Behind a proxy nobody knows, so the answer is no. */
export const isOwnMachine = ({ socket, headers }: IncomingMessage): boolean => {
  if ('x-forwarded-for' in headers || 'forwarded' in headers) return false
  const { remoteAddress: peer = '', localAddress } = socket
  return ownMachine.test(peer) || (peer !== '' && peer === localAddress)
}

/** The network of an address. For IPv6 that is its /64, because one household has a whole /64. */
export const networkOf = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':')
}

/** The network that a request comes from. Only a proxy on this machine may name another one: any other client could, too. */
export const clientAddress = (request: IncomingMessage): string => {
  const peer = request.socket.remoteAddress ?? ''
  const forwarded = ownMachine.test(peer) ? forwardedAddresses(request).at(-1) : undefined
  return networkOf(forwarded || peer)
}

/** Reads the address of a visitor. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * Makes a function that reads the address of a visitor, as so many proxies in front of the service name it. What stands
 * before the address that the first of them has added is the visitor's own word. The form of IPv6 for IPv4 is taken off.
 */
export const createAddressOf =
  (proxies: number): AddressOf =>
  (request) => {
    const forwarded = proxies > 0 ? forwardedAddresses(request) : []
    const named = forwarded.at(-Math.min(proxies, forwarded.length))
    return (named || request.socket.remoteAddress || '').replace(/^::ffff:(?=\d+\.)/, '')
  }

/** Reads the address for what depends on it, and says once when a proxy names visitors and does not count. */
export const warnOfProxies = (
  addressOf: AddressOf,
  proxies: number,
  logger: Pick<Logger, 'warn'>,
): AddressOf => {
  let isTold = false
  return (request) => {
    if (proxies === 0 && 'x-forwarded-for' in request.headers && !isTold) {
      isTold = true
      logger.warn(
        'X-Forwarded-For names a visitor, and does not count: behind a proxy, start with --trust-proxy.',
      )
    }
    return addressOf(request)
  }
}

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

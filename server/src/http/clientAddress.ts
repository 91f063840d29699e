import { isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'

const ownMachine = /^(?:::1|(?:::ffff:)?127\.)/
const ownNetwork =
  /^(?:::1$|f[cd][\da-f]{2}:|(?:::ffff:)?(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.))/i

/** `X-Forwarded-For` counts only from one of these proxies, and only the last address, which the proxy has added. */
const addressOf = ({ socket, headers }: IncomingMessage, proxies: RegExp): string => {
  const peer = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim()
  return proxies.test(peer) && forwarded ? forwarded : peer
}

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
export const clientAddress = (request: IncomingMessage): string => networkOf(addressOf(request, ownMachine))

/**
 * The address of a visitor, which a proxy in the same private network may also name: no right hangs on it. The form of
 * IPv6 for IPv4 is taken off.
 */
export const visitorAddress = (request: IncomingMessage): string =>
  addressOf(request, ownNetwork).replace(/^::ffff:(?=\d+\.)/, '')

import { isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'

const ownMachine = /^(?:::1|(?:::ffff:)?127\.)/

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

/**
 * The network that a request comes from. `X-Forwarded-For` counts only from a proxy on this machine, and only the last
 * address, which the proxy has added: any other client can write anything there.
 */
export const clientAddress = ({ socket, headers }: IncomingMessage): string => {
  const peer = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim()
  return networkOf(ownMachine.test(peer) && forwarded ? forwarded : peer)
}

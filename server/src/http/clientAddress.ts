import { isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'

const ownMachine = /^(?:::1|(?:::ffff:)?127\.)/

/** One household has a whole /64 of IPv6 addresses. */
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
 * Where a request comes from. A proxy on this machine is believed what it adds to `X-Forwarded-For`;
 * of anybody else that header may hold anything.
 */
export const clientAddress = ({ socket, headers }: IncomingMessage): string => {
  const peer = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim()
  return networkOf(ownMachine.test(peer) && forwarded ? forwarded : peer)
}

import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { LoginLink } from '../../src/users/LoginTokens.js'

const from = (remoteAddress: string, headers = {}, localAddress = '127.0.0.1') =>
  ({ socket: { remoteAddress, localAddress }, headers }) as unknown as IncomingMessage
const here = from('127.0.0.1')

const createLink = (now?: () => number) => {
  const link = new LoginLink('admin', now)
  const [, token = ''] = link.addressAt('').split('#login=')
  return { link, token }
}

it('logs in once', () => {
  const { link, token } = createLink()
  expect([link.take('', here), link.take(`${token}x`, here)]).toEqual([false, false])
  expect([link.take(token, here), link.take(token, here)]).toEqual([true, false])
})

it('is good for a quarter of an hour', () => {
  let now = 0
  const { link, token } = createLink(() => now)
  now = 15 * 60_000 + 1
  expect(link.take(token, here)).toBe(false)
  now--
  expect(link.take(token, here)).toBe(true)
})

it.each([
  ['another machine', from('192.0.2.7'), false],
  ['another machine, through a proxy', from('127.0.0.1', { 'x-forwarded-for': '192.0.2.7' }), false],
  ['another machine, through a proxy of the standard', from('127.0.0.1', { forwarded: 'for=x' }), false],
  ['nobody knows where', from('', {}, ''), false],
  ['this machine, by its own address', from('192.0.2.7', {}, '192.0.2.7'), true],
  ['this machine, by IPv6', from('::1'), true],
  ['this machine, by IPv4 in IPv6', from('::ffff:127.0.0.1'), true],
])('from %s', (_where, request, isTaken) => {
  const { link, token } = createLink()
  expect(link.take(token, request)).toBe(isTaken)
})

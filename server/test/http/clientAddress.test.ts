import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { clientAddress } from '../../src/http/behindProxy.js'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

it.each([
  ['the peer', '203.0.113.7', undefined, '203.0.113.7'],
  ['the peer, whatever a stranger says of itself', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['what a proxy on this machine has added last', '127.0.0.1', '9.9.9.9, 198.51.100.1', '198.51.100.1'],
  ['the same by IPv6', '::1', '198.51.100.1', '198.51.100.1'],
  ['this machine without a proxy', '::ffff:127.0.0.1', undefined, '127.0.0.1'],
  ['a network of IPv6, which one household has', '2001:db8:0:1:2:3:4:5', undefined, '2001:db8:0:1'],
  ['the same written short', '2001:db8::5', undefined, '2001:db8:0:0'],
  ['an IPv4 address in the form of IPv6', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
])('is %s', (_, remoteAddress, forwarded, address) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  expect(clientAddress({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)).toBe(address)
})

it.each([
  ['no proxy', {}, {}, []],
  ['a proxy that --trust-proxy names', { trustProxy: 1 }, { 'x-forwarded-for': '198.51.100.1' }, []],
  ['another proxy', {}, { 'x-forwarded-for': '198.51.100.1' }, ['X-Forwarded-For names a visitor']],
])(
  'with %s, tells of --trust-proxy only when an address matters, and once',
  async (_, options, sent, told) => {
    const lines: string[] = []
    const service = await createService({
      ...options,
      logLevel: 'warn',
      writeLog: (line) => lines.push(line),
    })
    try {
      const about = () => lines.filter((line) => line.includes('X-Forwarded-For'))
      const visit = { ...event('Seen'), distinct_id: undefined }
      await service.ingest('/track', event('Plain'), sent)
      expect(about()).toEqual([])
      for (let times = 0; times < 2; times++) await service.ingest('/anonymous', visit, sent)
      expect(about()).toEqual(told.map((text) => expect.stringContaining(text) as string))
    } finally {
      await service.close()
    }
  },
)

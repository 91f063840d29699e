import type { IncomingMessage } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createAddressOf, warnOfProxies } from '../../src/http/behindProxy.js'
import { openCountries } from '../../src/analytics/createSenderReader.js'
import { countryFile } from '../fixtures/countryFile.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-countries-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'countries.mmdb')
const bytes = countryFile({
  '203.0.113.0/24': { country: { iso_code: 'NL' } },
  '198.51.100.0/25': { country_code: 'JP' },
})
writeFileSync(path, bytes)

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

it.each([
  ['of the peer', '203.0.113.7', undefined, 'NL'],
  ['of the peer, whatever a stranger says of itself', '203.0.113.7', '198.51.100.1', 'NL', 0],
  ['of an IPv4 address in the form of IPv6', '::ffff:203.0.113.7', undefined, 'NL'],
  ['in the other form', '198.51.100.1', undefined, 'JP'],
  ['what a proxy has added last', '127.0.0.1', '203.0.113.7, 198.51.100.1', 'JP'],
  ['what the first of two proxies has added', '127.0.0.1', '9.9.9.9, 203.0.113.7, 10.0.0.1', 'NL', 2],
  ['what there is where two proxies should have added', '127.0.0.1', '203.0.113.7', 'NL', 2],
  ['that of the peer where a proxy has added nothing', '203.0.113.7', undefined, 'NL'],
  ['none for an address outside of the file', '198.51.100.200', undefined, undefined],
  ['none for this machine', '::1', undefined, undefined],
  ['none for what is no address', '127.0.0.1', 'unknown', undefined],
  ['none for a connection that has ended', undefined, undefined, undefined],
])('the country is %s', (_, peer, forwarded, country, proxies = 1) => {
  const told: string[] = []
  const addressOf = warnOfProxies(createAddressOf(proxies), proxies, {
    warn: (message) => told.push(message),
  })
  const find = openCountries(path, addressOf)
  expect([1, 2].map(() => find(from(peer, forwarded)))).toEqual([country, country])
  // Whoever starts the service behind a proxy without saying so is told, once.
  expect(told).toHaveLength(proxies === 0 ? 1 : 0)
})

it('is none where the file is damaged, so that no event is refused', () => {
  const damaged = Buffer.from(bytes)
  damaged.fill(0xff, damaged.indexOf('country') - 2, damaged.indexOf('NL'))
  writeFileSync(join(folder, 'damaged.mmdb'), damaged)
  expect(
    openCountries(join(folder, 'damaged.mmdb'), () => '203.0.113.7')(from('203.0.113.7')),
  ).toBeUndefined()
})

it.each([
  ['there is no such file', join(folder, 'missing.mmdb')],
  ['it is no such file', import.meta.filename],
])('the start says what to name where %s', (_, wrong) => {
  expect(() => openCountries(wrong, () => '')).toThrow(
    /^--geo-database .* cannot be read: .*Name a file in MaxMind's format/,
  )
})

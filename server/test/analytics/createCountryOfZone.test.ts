import { expect, it } from 'vitest'
import { createCountryOfZone } from '../../src/analytics/createSenderReader.js'

const countryOfZone = createCountryOfZone()

it.each([
  ['Europe/Berlin', 'DE'],
  ['Europe/Zurich', 'CH'],
  ['Europe/London', 'GB'],
  ['Atlantic/Canary', 'ES'],
  ['America/New_York', 'US'],
  ['Pacific/Auckland', 'NZ'],
  // Browsers differ in which of two names they give.
  ['Asia/Calcutta', 'IN'],
  ['Asia/Kolkata', 'IN'],
  ['Europe/Kiev', 'UA'],
  ['Europe/Kyiv', 'UA'],
  ['America/Argentina/Buenos_Aires', 'AR'],
  ['UTC', undefined],
  ['Etc/GMT+1', undefined],
  ['Nowhere/Land', undefined],
  ['', undefined],
])('of %s is %s', (zone, country) => {
  expect(countryOfZone(zone)).toBe(country)
  expect(countryOfZone(zone)).toBe(country)
})

it('gives every zone of a place a country', () => {
  const zones = Intl.supportedValuesOf('timeZone').filter(
    (zone) => zone.includes('/') && !zone.startsWith('Etc/'),
  )
  expect(zones.length).toBeGreaterThan(300)
  expect(zones.filter((zone) => !/^[A-Z]{2}$/.test(countryOfZone(zone) ?? ''))).toEqual([])
})

it('stays right for more names than are remembered', () => {
  for (let n = 0; n < 6000; n++) expect(countryOfZone(`Nowhere/${n}`)).toBeUndefined()
  expect(countryOfZone('Europe/Paris')).toBe('FR')
  expect(countryOfZone('Asia/Saigon')).toBe('VN')
})

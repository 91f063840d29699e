import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type CountryResponse, Reader } from 'mmdb-lib'
import type { AddressOf } from '../http/behindProxy.js'
import { OperatorError, reasonOf } from '../OperatorError.js'
import type { FindCountry } from './createSenderReader.js'

/**
 * Regions of CLDR that are no country or territory with an ISO 3166 code: groups, islands with a reserved code, and
 * those for tests.
 */
const notCountries = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'ZZ',
])

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/**
 * The country of each time zone, from the tables that Node brings (`process.versions.tz` is their date). A code that
 * was given up, such as DD, is another one in its canonical form.
 */
const listZones = (): Map<string, string | undefined> => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const countries = codes.filter(
    (code) =>
      !notCountries.has(code) &&
      names.of(code) !== undefined &&
      new Intl.Locale(`und-${code}`).region === code,
  )
  return new Map(countries.flatMap((code) => zonesOf(code).map((zone) => [zone, code] as const)))
}

/** Later versions of Node have a method where Node 20 has a property. */
interface LocaleOfZones {
  timeZones?: string[]
  getTimeZones?: () => string[] | undefined
}

const zonesOf = (code: string): string[] => {
  const locale = new Intl.Locale(`und-${code}`) as LocaleOfZones
  return locale.getTimeZones?.() ?? locale.timeZones ?? []
}

/** `Asia/Kolkata` is an alias of `Asia/Calcutta` here, and the other way round in some browsers. */
const canonical = (zone: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const mostKnown = 5000

/** Makes a function that gives the country of a time zone, as ISO 3166 writes it: `DE` for `Europe/Berlin`. */
export const createCountryOfZone = () => {
  // Listing takes longer than all else that a start does here.
  let zones: ReturnType<typeof listZones> | undefined
  return (zone: string): string | undefined => {
    zones ??= listZones()
    if (!zones.has(zone)) {
      const country = zones.get(canonical(zone) ?? '')
      if (zones.size === mostKnown) return country
      zones.set(zone, country)
    }
    return zones.get(zone)
  }
}

/** Publishers write a country in one of these two forms. */
type Found = CountryResponse & { country_code?: string }

/** Opens a database of addresses in MaxMind's format. An address is looked up, and forgotten. */
export const openCountries = (path: string, addressOf: AddressOf): FindCountry => {
  let reader: Reader<Found>
  try {
    reader = new Reader<Found>(readFileSync(path))
  } catch (error) {
    throw new OperatorError(
      `--geo-database ${path} cannot be read: ${reasonOf(error)}. Name a file in MaxMind's format (.mmdb) with countries.`,
    )
  }
  return (request) => {
    const address = addressOf(request)
    try {
      const found = isIP(address) === 0 ? undefined : reader.get(address)
      const code = found?.country?.iso_code ?? found?.country_code
      return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : undefined
    } catch {
      // A part of the file is damaged. No event is refused for that.
      return undefined
    }
  }
}

import type { IncomingMessage } from 'node:http'
import type { ClientHints } from 'bowser'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type CountryResponse, Reader } from 'mmdb-lib'
import { isBrowser, readUserAgent, judgeSender } from './userAgents.js'
import type { AddressOf } from '../http/behindProxy.js'
import { OperatorError, reasonOf } from '../OperatorError.js'

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

const mostZones = 5000

/** Makes a function that gives the country of a time zone, as ISO 3166 writes it: `DE` for `Europe/Berlin`. */
export const createCountryOfZone = () => {
  // Listing takes longer than all else that a start does here.
  let zones: ReturnType<typeof listZones> | undefined
  return (zone: string): string | undefined => {
    zones ??= listZones()
    if (!zones.has(zone)) {
      const country = zones.get(canonical(zone) ?? '')
      if (zones.size === mostZones) return country
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

/** `"Brave";v="142", "Chromium";v="142"`: the brands of the header `Sec-CH-UA`. */
const brand = /"((?:[^"\\]|\\.)*)";\s*v="([^"]*)"/g

const readHints = (text: string): ClientHints => ({
  brands: [...text.slice(0, 500).matchAll(brand)].map(([, name, version]) => ({
    brand: name!,
    version: version!,
  })),
})

const language = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?![a-z\d])/i

/** The first language of `Accept-Language`, such as `de-AT`; undefined where it names none. */
const readLanguage = (text: string): string | undefined => {
  const tag = language.exec(text)?.[0]
  return tag === undefined ? undefined : Intl.getCanonicalLocales(tag)[0]
}

const maxTextLength = 50

/**
 * Makes a function that reads the first text of a name in a body. All events of a browser's request have the same
 * environment and time zone. A text in JSON cannot hold these quotes.
 */
const textReader = (name: string) => {
  const opening = Buffer.from(`"${name}":"`)
  return (body: Buffer): string => {
    const at = body.indexOf(opening)
    const start = at + opening.length
    const end = at < 0 ? -1 : body.indexOf(0x22, start)
    return end < 0 || end - start > maxTextLength ? '' : body.toString('latin1', start, end)
  }
}
const readZone = textReader('browser_time_zone')
export const readEnvironment = textReader('environment')

/** What is remembered may take some ten megabytes: a longer text is read each time. */
const longestKey = 1000
const mostKnown = 10_000

/** Finds the country of an address; undefined where it is not known. */
export type FindCountry = (request: IncomingMessage) => string | undefined

/** What is read of a request, as text. */
interface Said {
  userAgent: string
  brands: string
  languages: string
  country: string | undefined
}

const describe = ({ userAgent, brands, languages, country }: Said): string | undefined => {
  const bot = judgeSender(userAgent)
  const sender = isBrowser(userAgent)
    ? { bot, ...readUserAgent(userAgent, readHints(brands)), language: readLanguage(languages), country }
    : { bot }
  const text = JSON.stringify(sender)
  return text === '{}' ? undefined : text
}

/**
 * Makes a function that reads who sends a request: bot, browser, system, kind of device, language and country, as the
 * JSON that goes into the log with its rows. Nothing else of address and user agent is kept. Of a server, which sends
 * what people did elsewhere, nothing is read but whether it is a bot.
 */
export const createSenderReader = (findCountry?: FindCountry) => {
  const countryOfZone = createCountryOfZone()
  const known = new Map<string, string | undefined>()

  return (request: IncomingMessage, body: Buffer): string | undefined => {
    const { headers } = request
    const userAgent = headers['user-agent']
    if (userAgent === undefined) return undefined
    const brands = headers['sec-ch-ua']?.toString() ?? ''
    const languages = headers['accept-language'] ?? ''
    const country = isBrowser(userAgent)
      ? (findCountry?.(request) ?? countryOfZone(readZone(body)))
      : undefined
    const said = { userAgent, brands, languages, country }
    const key = `${userAgent}\n${brands}\n${languages}\n${country}`
    if (key.length > longestKey) return describe(said)
    if (!known.has(key)) {
      if (known.size === mostKnown) known.clear()
      known.set(key, describe(said))
    }
    return known.get(key)
  }
}

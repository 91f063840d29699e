import type { IncomingMessage } from 'node:http'
import type { ClientHints } from 'bowser'
import { createCountryOfZone } from './countries.js'
import { isBrowser, readUserAgent, judgeSender } from './userAgents.js'

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

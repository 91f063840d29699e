import { readLogUrl } from './readLogUrl.js'
import { ownCatalog } from '../duckdb/quote.js'
import { bytesOf, type ServerOptions } from './ServerOptions.js'

/** The form of `--origins`: `https://shop.example`, or `http://127.0.0.1:*` for every port of the machine's own address. */
export const originForm =
  /^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\*$/i

/** What the flags of one command line have set so far. */
export interface Given {
  options: ServerOptions
  role: string
}

/** Sets the option of a flag from its text; gives one sentence when the text is wrong. */
export type Read = (text: string, given: Given, flag: string) => string | undefined

/** The options whose values are of one type. */
type Named<T> = { [K in keyof ServerOptions]-?: T extends ServerOptions[K] ? K : never }[keyof ServerOptions]

const size = /^\d+(\.\d+)?\s*([KMGT]i?)?B$/i
/** The form of an object store's address, such as `s3://bucket`. */
const addressForm = /^[a-z][a-z\d+.-]+:\/\//i

const basePathForm = /^(\/[\w.~-]+)*$/
const catalogForm = /^[a-z][a-z0-9_]{0,62}$/
/** Names that DuckDB or this service uses itself. */
const reserved = new Set(['analytics', ownCatalog, 'system', 'temp'])

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

export const set =
  <K extends keyof ServerOptions>(option: K, parse: (text: string) => ServerOptions[K]): Read =>
  (text, { options }) => {
    options[option] = parse(text)
    return undefined
  }

export const asText = (option: Named<string>): Read => set(option, (text) => text)

export const asFolder =
  (option: Named<string>): Read =>
  (text, given, flag) =>
    addressForm.test(text)
      ? `--${flag} takes a folder, not ${text}. An object store must be mounted as one.`
      : asText(option)(text, given, flag)

/** Reads a whole number from 1 with at most `digits` digits. `of` ends the sentence "must be a number …". */
export const asNumber =
  (option: Named<number>, of: string, { digits = 7, times = 1 } = {}): Read =>
  (text, given, flag) =>
    new RegExp(`^[1-9]\\d{0,${digits - 1}}$`).test(text)
      ? set(option, () => Number(text) * times)(text, given, flag)
      : `--${flag} must be a number ${of}, not ${text}.`

export const asDays = (option: Named<number>): Read =>
  asNumber(option, 'of days', { digits: 4, times: 86_400_000 })

export const asPort =
  (option: 'port' | 'postgresPort'): Read =>
  (text, given, flag) =>
    /^\d{1,5}$/.test(text) && Number(text) < 65_536
      ? set(option, Number)(text, given, flag)
      : `--${flag} must be a number from 0 to 65535, not ${text}.`

const asSize =
  (take: Read, example: string): Read =>
  (text, given, flag) =>
    size.test(text) ? take(text, given, flag) : `--${flag} must be a size such as ${example}, not ${text}.`

export const asSizeText = (option: Named<string>): Read => asSize(asText(option), '512MB or 4GiB')
export const asBytes = (option: Named<number>): Read => asSize(set(option, bytesOf), '2GB or 6GiB')

/** Reads one of these words, and gives it to `take`. */
export const asChoice =
  (words: readonly string[], take: (word: string, given: Given) => void): Read =>
  (text, given, flag) => {
    if (!words.includes(text)) return `--${flag} must be one of ${words.join(', ')}, not ${text}.`
    take(text, given)
    return undefined
  }

/** Reads the name of one of two files; `parseArguments` complains when the other one is missing. */
export const asPem =
  (part: 'cert' | 'key'): Read =>
  (text, { options }) => {
    options.postgresTls = { cert: '', key: '', ...options.postgresTls, [part]: text }
    return undefined
  }

export const asUsers: Read = (text, { options }, flag) => {
  const pairs = splitList(text).map((pair) => [pair, pair.indexOf(':')] as const)
  if (pairs.some(([pair, cut]) => cut <= 0 || cut === pair.length - 1))
    return `--${flag} must read name:password, several separated by commas.`
  options.users = Object.fromEntries(pairs.map(([pair, cut]) => [pair.slice(0, cut), pair.slice(cut + 1)]))
  return undefined
}

export const asRetention: Read = (text, { options }, flag) => {
  const environments = options.environments ?? ['production']
  const days: Record<string, number> = {}
  for (const each of splitList(text)) {
    const [, environment, number] = /^(.+)=([1-9]\d{0,4})d$/.exec(each) ?? []
    if (environment === undefined || !environments.includes(environment))
      return `--${flag} takes an environment and days, such as ${environments[0]}=400d, not ${each}.`
    days[environment] = Number(number)
  }
  options.retentionDays = days
  return undefined
}

export const asEnvironments: Read = (text, { options }, flag) => {
  options.environments = splitList(text)
  return options.environments.length === 0 ? `--${flag} must name at least one environment.` : undefined
}

export const asOrigins: Read = (text, { options }, flag) => {
  options.origins = splitList(text)
  const wrong = options.origins.find((each) => !originForm.test(each))
  return wrong && `--${flag} takes origins such as https://admin.example, not ${wrong}.`
}

export const asBasePath: Read = (text, { options }, flag) => {
  options.basePath = text.replace(/\/+$/, '')
  return basePathForm.test(options.basePath) ? undefined : `--${flag} must be a path such as /w, not ${text}.`
}

export const asCatalogs: Read = (text, { options }, flag) => {
  options.catalogs = splitList(text)
  if (options.catalogs.length === 0) return `--${flag} must name at least one catalog.`
  const wrong = options.catalogs.find((name) => !catalogForm.test(name) || reserved.has(name))
  return wrong && `--${flag} takes names of small letters, digits and _ that are not reserved, not ${wrong}.`
}

export const asLogUrl: Read = (text, { options }) => {
  const addresses = readLogUrl(text)
  options.log = text
  return typeof addresses === 'string' ? addresses : undefined
}

export const asDay =
  (option: Named<string>): Read =>
  (text, given, flag) =>
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
      ? asText(option)(text, given, flag)
      : `--${flag} must be a day such as 2027-01-31, not ${text}.`

import { ownCatalog } from '../duckdb/quote.js'
import { OperatorError } from '../OperatorError.js'
import { readSenders, type SenderChoice } from '../senders/senderChoice.js'

/** How the value of a flag is written. */
export interface Kind<T> {
  /** Several flags of this name count as one, joined by commas. */
  isList?: true
  /** Reads a text, or throws one sentence about `flag`, such as `--port`. */
  read: (text: string, flag: string) => T
}

export interface Way<T> {
  as: Kind<T>
  /** The default, as it would be written, or made of the options before it; without it nothing is set. */
  usual?: string | ((before: { memoryLimit: string; quiet: boolean }) => T)
  /** The default in words, where it is not written. @defaultValue '' */
  otherwise?: string
  /** A link to the part of the docs that says more. */
  more?: string
}

/** A flag, such as `--port N`, with a sentence for `--help` and the docs; a switch has no value. */
export const asFlag = <W extends Way<unknown>>(form: string, about: string, way: W) => {
  const [name = '', value] = form.slice(2).split(' ')
  return { ...way, name, value, about }
}

/** What only code can set; its default in words is only told where it is not that of `usual`. */
export const inCode = <T>(about: string, usual: () => T, otherwise = String(usual())) => ({
  about,
  usual,
  otherwise,
})

/** The form of `--origins`: `https://shop.example`, or `http://127.0.0.1:*` for every port of the machine's own address. */
export const originForm =
  /^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\*$/i

/** The form of an object store's address, such as `s3://bucket`. */
const addressForm = /^[a-z][a-z\d+.-]+:\/\//i
const sizeForm = /^\d+(\.\d+)?\s*([KMGT]i?)?B$/i
const basePathForm = /^(\/[\w.~-]+)*$/
const catalogForm = /^[a-z][a-z0-9_]{0,62}$/
/** Names that DuckDB or this service uses itself. */
const reserved = new Set(['analytics', ownCatalog, 'system', 'temp'])

const units: Record<string, number> = { k: 10, m: 20, g: 30, t: 40 }

/** The bytes of a size as DuckDB writes it. MB counts as MiB, so that the result is never too small. */
export const bytesOf = (size: string): number => {
  const [, value, unit = ''] = /^([\d.]+)\s*([KMGT]?)/i.exec(size) ?? []
  return Number(value) * 2 ** (units[unit.toLowerCase()] ?? 0)
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** The kind of a text that `isRight`; `rule` ends the sentence "--flag …" about any other. */
const checked = <T>(
  isRight: (text: string) => boolean,
  rule: string,
  parse: (text: string) => T,
): Kind<T> => ({
  read: (text, flag) => {
    if (!isRight(text)) throw new OperatorError(`${flag} ${rule}, not ${text}.`)
    return parse(text)
  },
})

const same = (text: string) => text

export const text: Kind<string> = { read: same }
/** A switch is given or not. */
export const toggle: Kind<boolean> = { read: (written) => written === 'true' }

export const folder: Kind<string> = {
  read: (path, flag) => {
    if (!addressForm.test(path)) return path
    throw new OperatorError(`${flag} takes a folder, not ${path}. An object store must be mounted as one.`)
  },
}

/** A whole number from 1 with at most `digits` digits. `of` ends the sentence "must be a number …". */
export const number = (of: string, { digits = 7, times = 1 } = {}): Kind<number> =>
  checked(
    (written) => new RegExp(`^[1-9]\\d{0,${digits - 1}}$`).test(written),
    `must be a number ${of}`,
    (written) => Number(written) * times,
  )

/** Days, in milliseconds. */
export const days = number('of days', { digits: 4, times: 86_400_000 })

export const wholeDays = checked(
  (written) => /^[1-9]\d{0,4}d$/.test(written),
  'takes days, such as 30d',
  Number.parseInt,
)

export const day = checked(
  (written) => /^\d{4}-\d\d-\d\d$/.test(written) && !Number.isNaN(Date.parse(written)),
  'must be a day such as 2027-01-31',
  same,
)

export const port = checked(
  (written) => /^\d{1,5}$/.test(written) && Number(written) < 65_536,
  'must be a number from 0 to 65535',
  Number,
)

const isSize = (written: string) => sizeForm.test(written)
const smtpForm = /^smtps?:\/\/[^\s/]+\/?(?:\?\S*)?$/i
/** The address of a server for mail; the empty text is none. It holds a password, which no message repeats. */
export const smtp: Kind<string> = {
  read: (url, name) => {
    if (url === '' || smtpForm.test(url)) return url
    throw new OperatorError(`${name} must be an address such as smtps://user:password@mail.example.com.`)
  },
}

/** A size as DuckDB writes it. */
export const size = checked(isSize, 'must be a size such as 512MB or 4GiB', same)
export const bytes = checked(isSize, 'must be a size such as 2GB or 6GiB', bytesOf)

export const oneOf = <T extends string>(words: readonly T[]): Kind<T> =>
  checked(
    (word) => words.includes(word as T),
    `must be one of ${words.join(', ')}`,
    (word) => word as T,
  )

export const users: Kind<Readonly<Record<string, string>>> = {
  isList: true,
  read: (written, flag) => {
    const pairs = splitList(written).map((pair) => [pair, pair.indexOf(':')] as const)
    if (pairs.some(([pair, cut]) => cut <= 0 || cut === pair.length - 1))
      throw new OperatorError(`${flag} must read name:password, several separated by commas.`)
    return Object.fromEntries(pairs.map(([pair, cut]) => [pair.slice(0, cut), pair.slice(cut + 1)]))
  },
}

/** Days by environment. */
export const daysByName: Kind<Readonly<Record<string, number>>> = {
  isList: true,
  read: (written, flag) =>
    Object.fromEntries(
      splitList(written).map((each) => {
        const [, environment, count] = /^(.+)=([1-9]\d{0,4})d$/.exec(each) ?? []
        if (environment !== undefined) return [environment, Number(count)]
        throw new OperatorError(
          `${flag} takes an environment and days, such as production=400d, not ${each}.`,
        )
      }),
    ),
}

/** The kind of a list of which no text `isWrong`; with a `noun` it names at least one. */
const listOf = (
  rule: string,
  isWrong: (each: string) => boolean,
  noun?: string,
): Kind<readonly string[]> => ({
  isList: true,
  read: (written, flag) => {
    const all = splitList(written)
    if (noun !== undefined && all.length === 0)
      throw new OperatorError(`${flag} must name at least one ${noun}.`)
    const wrong = all.find(isWrong)
    if (wrong !== undefined) throw new OperatorError(`${flag} takes ${rule}, not ${wrong}.`)
    return all
  },
})

export const list = listOf('', () => false)
export const senders: Kind<SenderChoice> = {
  isList: true,
  read: (written, flag) => readSenders(splitList(written), flag),
}
export const environments = listOf('', () => false, 'environment')
export const origins = listOf('origins such as https://admin.example', (each) => !originForm.test(each))
export const catalogs = listOf(
  'names of small letters, digits and _ that are not reserved',
  (name) => !catalogForm.test(name) || reserved.has(name),
  'catalog',
)

export const userRoles = ['read', 'write', 'admin'] as const
/**
 * `read` changes nothing; `write` may do everything that the lakehouse group offers; `admin` makes users and keys, too.
 */
export type UserRole = (typeof userRoles)[number]

/** Roles by group. */
export const roles: Kind<Readonly<Record<string, UserRole>>> = {
  isList: true,
  read: (written, flag) =>
    Object.fromEntries(
      splitList(written).map((each) => {
        const cut = each.lastIndexOf('=')
        const role = userRoles.find((known) => known === each.slice(cut + 1))
        if (cut > 0 && role !== undefined) return [each.slice(0, cut), role]
        throw new OperatorError(
          `${flag} takes a group and a role (${userRoles.join(', ')}), such as analysts=write, not ${each}.`,
        )
      }),
    ),
}

/** Passwords and codes go there, so it is https but on this machine. */
export const issuer = checked(
  (written) =>
    /^https:\/\/[^\s?#]+$|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/[^\s?#]*)?$/.test(
      written,
    ) && URL.canParse(written),
  'must be an address such as https://login.example.com',
  same,
)

export const basePath: Kind<string> = {
  read: (written, flag) => {
    const path = written.replace(/\/+$/, '')
    if (basePathForm.test(path)) return path
    throw new OperatorError(`${flag} must be a path such as /w, not ${written}.`)
  },
}

export const logUrl: Kind<string> = {
  read: (url) => {
    addressesOf(url)
    return url
  },
}

export const logDurabilities: readonly LogDurability[] = ['quorum', 'local']

/** Before a commit is acknowledged it must be on the disks of several servers (`quorum`), or of one (`local`). */
export type LogDurability = 'quorum' | 'local'

/** One of the servers that may hold the log. */
export interface LogAddress {
  /** The name in messages, which has no password. */
  name: string
  /** The URL for the driver, which takes only one host in a URL. */
  url: string
}

const form = /^(postgres(?:ql)?:\/\/)((?:[^/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/s
const example = 'postgres://user:password@host-1:5432,host-2:5432/database'
const writable: readonly string[] = ['read-write', 'primary']

/** Reads the servers of a URL that may have several hosts, as libpq writes it. Returns a text when the URL is wrong. */
export const readLogUrl = (url: string): LogAddress[] | string => {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = form.exec(url) ?? []
  if (scheme === '') return `--log must be a URL such as ${example}.`
  const parameters = new URLSearchParams(query)
  const target = parameters.get('target_session_attrs') ?? 'read-write'
  if (!writable.includes(target))
    return `--log needs a server that can be written to: target_session_attrs must be read-write, not ${target}.`
  parameters.delete('target_session_attrs')
  const rest = parameters.size === 0 ? path : `${path}?${parameters.toString()}`
  const names = hosts.split(',')
  // A URL without a host is for a socket, which the parameter `host` names.
  const wrong = names.find((name) =>
    name === '' ? names.length > 1 : !URL.canParse(`${scheme}${user}${name}${rest}`),
  )
  if (wrong !== undefined) {
    return `--log must be a URL such as ${example}; the servers or ports of this one cannot be read. In a password, write %2F for / and %40 for @.`
  }
  return names.map((name) => ({
    name: name === '' ? (parameters.get('host') ?? 'localhost') : name,
    url: `${scheme}${user}${name}${rest}`,
  }))
}

/** Reads the servers of a URL, and throws when the URL is wrong. */
export const addressesOf = (url: string): LogAddress[] => {
  const addresses = readLogUrl(url)
  if (typeof addresses === 'string') throw new OperatorError(addresses)
  return addresses
}

/** The options of a provider of OpenID Connect, which stand together in the table. */
export const oidcFlags = {
  oidcIssuer: asFlag('--oidc-issuer URL', 'logs users in by this provider of OpenID Connect', {
    as: issuer,
    usual: () => '',
    otherwise: 'by password alone',
    more: '[OpenID Connect](operate.md#openid-connect)',
  }),
  oidcClientId: asFlag('--oidc-client-id ID', 'its id of this service', { as: text, usual: '' }),
  oidcClientSecret: asFlag('--oidc-client-secret SECRET', 'its secret', { as: text, usual: '' }),
  oidcRoles: asFlag('--oidc-roles GROUP=ROLE', 'roles of its groups, separated by commas; * is everybody', {
    as: roles,
    usual: '',
  }),
  oidcGroupsClaim: asFlag('--oidc-groups-claim NAME', 'where it names a user’s groups', {
    as: text,
    usual: 'groups',
  }),
}

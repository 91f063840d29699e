import { OperatorError } from '../OperatorError.js'

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
export const readLogUrl = (text: string): LogAddress[] | string => {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = form.exec(text) ?? []
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
export const addressesOf = (text: string): LogAddress[] => {
  const addresses = readLogUrl(text)
  if (typeof addresses === 'string') throw new OperatorError(addresses)
  return addresses
}

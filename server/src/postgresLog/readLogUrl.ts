import { OperatorError } from '../OperatorError.js'

/** One of the servers that the log may be on. */
export interface LogAddress {
  /** For messages: it has no password. */
  name: string
  /** For the driver, which knows one host a URL. */
  url: string
}

const form = /^(postgres(?:ql)?:\/\/)((?:[^/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/s
const example = 'postgres://user:password@host-1:5432,host-2:5432/database'
const writable: readonly string[] = ['read-write', 'primary']

/** The servers of a URL with several hosts, as libpq writes it, or what is wrong with it. */
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
  // Without a host it is a socket, which the parameter `host` names.
  const odd = names.find((name) =>
    name === '' ? names.length > 1 : !URL.canParse(`${scheme}${user}${name}${rest}`),
  )
  if (odd !== undefined) {
    return `--log must be a URL such as ${example}; the servers or ports of this one cannot be read. In a password, write %2F for / and %40 for @.`
  }
  return names.map((name) => ({
    name: name === '' ? (parameters.get('host') ?? 'localhost') : name,
    url: `${scheme}${user}${name}${rest}`,
  }))
}

/** The same where it must be right. */
export const addressesOf = (text: string): LogAddress[] => {
  const addresses = readLogUrl(text)
  if (typeof addresses === 'string') throw new OperatorError(addresses)
  return addresses
}

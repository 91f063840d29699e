import { linkMinutes } from './LoginLink.js'
import type { OwnAccess } from './OwnAccess.js'

interface Start {
  url: string
  /** A link in a log could be read by others while it is good, so a later start prints one only at a terminal. */
  isTerminal: boolean
}

/** Four lines for whoever has started the service without a flag. The password is in them once. */
export const tellAccess = (
  { link, password, apiKey, usersFile, keysFile }: NonNullable<OwnAccess['news']>,
  { url, isTerminal }: Start,
): string => {
  const isFirst = password !== undefined
  // Nobody can open the address that means all addresses of a machine.
  const own = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  const open =
    isFirst || isTerminal
      ? `${link.addressAt(own)}   (logs in once, within ${linkMinutes} minutes)`
      : `${own}/`
  const user = isFirst
    ? `${link.user}, password ${password}   (shown only now)`
    : `${link.user}   (forgotten the password? Delete the file below, and start again)`
  return [
    `  Open     ${open}`,
    `  User     ${user}`,
    `  Users    ${usersFile}`,
    `  API key  ${apiKey}   (from ${keysFile})`,
    '',
  ].join('\n')
}

import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { makeKey } from '../http/apiKeys.js'
import { Logger } from '../Logger.js'
import { completeOptions, type ServerOptions } from '../options/flags.js'
import { DataFolder } from '../disk/DataFolder.js'
import { Access, accessFile } from './Access.js'
import { LoginLink, linkMinutes } from './LoginTokens.js'
import { hashPassword } from './passwordHash.js'

interface Start {
  url: string
  /** A link in a log could be read by others while it is good, so a later start prints one only at a terminal. */
  isTerminal: boolean
}

/** Four lines for whoever has started the service without a flag. The password is in them once. */
export const tellAccess = (
  { link, password, apiKey, file }: NonNullable<OwnAccess['news']>,
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
    : `${link.user}   (forgotten the password? Take the user out of the file below, and start again)`
  return [
    `  Open     ${open}`,
    `  User     ${user}`,
    `  Kept in  ${file}`,
    `  API key  ${apiKey ?? 'none: make one in “Set up”'}`,
    '',
  ].join('\n')
}

/** The user and the key that the service makes for itself when the operator has named none. */
interface OwnAccess {
  /** What there is to tell whoever starts the service; undefined when a flag names users or keys. */
  news?: {
    link: LoginLink
    /** Only at the start that makes it. */
    password?: string
    apiKey: string | undefined
    file: string
  }
  /** Takes back what this start has made: nobody will have read the password. */
  undo(): void
}

const userName = 'admin'
const by = 'the first start'

/**
 * Makes a user with the role admin, and at the very first start a key, when no flag names any: they are the first of
 * those that are made by clicking. Several processes would each make their own, so one that shares its work makes none.
 */
export const openOwnAccess = async (options: ServerOptions): Promise<OwnAccess> => {
  const nothing = () => undefined
  const { role, log, dataFolder, users, usersFile, apiKeys } = completeOptions(options)
  const hasFlags = Object.keys(users).length > 0 || usersFile !== '' || apiKeys.length > 0
  if (role !== 'both' || log !== undefined || hasFlags) return { undo: nothing }
  const file = new DataFolder(dataFolder).access
  const place = accessFile(file)
  const access = await Access.open(place, { logger: new Logger('silent'), mayBeAway: false })
  const { text: before } = await place.read()
  // Whoever came by a provider has no password here, and without the provider is nobody.
  const admin = access.state.users.find((each) => each.role === 'admin' && each.subject === undefined)
  let password: string | undefined
  if (admin === undefined) {
    password = randomBytes(12).toString('base64url')
    const hash = await hashPassword(password)
    const first = { name: 'First key', kind: 'public', environments: null } as const
    await access.change((state) => ({
      state: {
        users: [
          ...state.users.filter(({ user }) => user !== userName),
          { user: userName, role: 'admin', password: hash },
        ],
        keys: before === undefined ? [makeKey(first, by).kept] : state.keys,
      },
      note: { by, change: 'accept', of: userName, as: 'admin' },
      answer: undefined,
    }))
  }
  const key = access.state.keys.find((each) => each.key !== null)
  return {
    news: {
      link: new LoginLink(admin?.user ?? userName),
      ...(password !== undefined && { password }),
      apiKey: key?.key ?? undefined,
      file,
    },
    undo() {
      if (password === undefined) return
      if (before === undefined) rmSync(file, { force: true })
      else void place.write(before, 0)
    },
  }
}

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../OperatorError.js'
import { completeOptions, type ServerOptions } from '../options/flags.js'
import { DataFolder } from '../disk/DataFolder.js'
import { LoginLink, linkMinutes } from './LoginTokens.js'
import { hashPassword } from './passwordHash.js'
import { readUsersFile } from './Users.js'

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

/** The user and the key that the service makes for itself when the operator has named none. */
interface OwnAccess {
  /** The options, with the user and the key in them. */
  options: ServerOptions
  /** What there is to tell whoever starts the service; undefined when a flag names users or keys. */
  news?: {
    link: LoginLink
    /** Only at the start that makes it. */
    password?: string
    apiKey: string
    usersFile: string
    keysFile: string
  }
  /** Deletes what this start has made: nobody will have read the password. */
  undo(): void
}

const userName = 'admin'

/** Writes a file that nobody but its owner can read, and leaves a file that is there as it is. */
const writeNew = (path: string, text: string) => writeFileSync(path, text, { flag: 'wx', mode: 0o600 })

const readKeys = (path: string): string[] => {
  const keys = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (keys.length === 0)
    throw new OperatorError(`There is no key in ${path}: write one a line, or delete the file.`)
  return keys
}

const readNames = (path: string): string[] => {
  const names = Object.keys(readUsersFile(path))
  if (names.length === 0) throw new OperatorError(`There is no user in ${path}: add one, or delete the file.`)
  return names
}

/**
 * Makes a user and a key when no flag names any, and keeps them in the data folder: `users.json` has the form of
 * `--users-file`, `api-keys.txt` a key a line. Later starts read these files, and flags go before them. Several processes
 * would each make their own, so one that shares its work makes and reads none.
 */
export const openOwnAccess = async (options: ServerOptions): Promise<OwnAccess> => {
  const made: string[] = []
  const undo = () => made.forEach((path) => rmSync(path, { force: true }))
  const { role, log, dataFolder, ...complete } = completeOptions(options)
  if (role !== 'both' || log !== undefined) return { options, undo }
  const { path } = new DataFolder(dataFolder)
  const [usersFile, keysFile] = [join(path, 'users.json'), join(path, 'api-keys.txt')]
  const given = {
    users: Object.keys(complete.users).length > 0 || complete.usersFile !== '',
    keys: complete.apiKeys.length > 0,
  }
  const hasFlags = given.users || given.keys
  let password: string | undefined
  if (!hasFlags && !existsSync(usersFile)) {
    password = randomBytes(12).toString('base64url')
    const user = { [userName]: { role: 'write', password: await hashPassword(password) } }
    writeNew(usersFile, `${JSON.stringify(user, undefined, 2)}\n`)
    made.push(usersFile)
  }
  if (!hasFlags && !existsSync(keysFile)) {
    writeNew(keysFile, `pk_${randomBytes(12).toString('base64url')}\n`)
    made.push(keysFile)
  }
  const keys = !given.keys && existsSync(keysFile) ? readKeys(keysFile) : undefined
  const names = !given.users && existsSync(usersFile) ? readNames(usersFile) : undefined
  return {
    options: { ...options, ...(keys && { apiKeys: keys }), ...(names && { usersFile }) },
    ...(!hasFlags &&
      keys &&
      names && {
        news: {
          link: new LoginLink(names.includes(userName) ? userName : names[0]!),
          ...(password !== undefined && { password }),
          apiKey: keys[0]!,
          usersFile,
          keysFile,
        },
      }),
    undo,
  }
}

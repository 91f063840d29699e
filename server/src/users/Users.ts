import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError } from '../OperatorError.js'
import type { KeptUser } from './Access.js'
import type { Identity, UserRole } from './Identity.js'
import { userRoles } from '../options/values.js'
import {
  hashOfNobody,
  isPasswordOf,
  parseHash,
  type PasswordHash,
  quick,
  quickHash,
  saltBytes,
} from './passwordHash.js'
import { compileSchema } from '../http/readJson.js'

/** The users in `--users-file`, by name. */
type ListedUsers = Record<string, { password: string; role: UserRole }>

const isShaped = compileSchema<ListedUsers>({
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['password', 'role'],
    additionalProperties: false,
    properties: { password: { type: 'string' }, role: { enum: userRoles } },
  },
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8's message quotes the text around the mistake, which may be a hash, so it is left out.
    throw new Error('it is not JSON', { cause: error })
  }
}

const check = (value: unknown): ListedUsers => {
  if (!isShaped(value)) {
    const [error] = isShaped.errors ?? []
    const path = error?.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
    throw new Error(
      `${path || 'it'} ${error?.message}; each user reads { "password": "SCRAM-SHA-256$…", "role": "read", "write" or "admin" }`,
    )
  }
  for (const [name, { password }] of Object.entries(value)) {
    if (name === '' || name.includes(':')) {
      throw new Error(
        `the name ${JSON.stringify(name)} is empty or has a colon, which HTTP Basic cannot send`,
      )
    }
    if (parseHash(password) === undefined) {
      throw new Error(`the password of ${name} is not a hash; make one by waymark-server hash-password`)
    }
  }
  return value
}

/** Reads the users file. Throws an OperatorError that says what is wrong with it. */
export const readUsersFile = (path: string): ListedUsers => {
  try {
    return check(parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new OperatorError(`The users file ${path} cannot be used: ${(error as Error).message}.`)
  }
}

interface User {
  role: UserRole
  /** The flag that gives the user; null for one who was made by clicking. */
  from: '--users' | '--users-file' | '--oidc-issuer' | null
  /** The password, or the text of its hash. It changes when the password changes. */
  secret: string
  /** A user of the users file has it from the start; that of another user is made when a client first asks for it. */
  hash?: PasswordHash
}

const maxVerified = 1000

/** The users of the lakehouse group: from the command line, from a file that can be read again, and made by clicking. */
export class Users {
  /** Passwords by name; these users may write. */
  readonly #passwords: Readonly<Record<string, string>>
  /** The path of the users file; empty when there is none. */
  readonly #file: string
  #listed: ListedUsers = {}
  #kept: readonly KeptUser[] = []
  /** Only users of this provider are there; empty: none of any. */
  readonly #issuer: string
  #users = new Map<string, User>()
  /** Pairs of name and password that were found right for a user, as digests with a key of this process. */
  readonly #given = new Map<string, User>()
  readonly #verified = new Map<string, User>()
  readonly #digestKey = randomBytes(32)
  /** Hashes are checked one after the other, because each keeps a thread busy that the write-ahead log needs too. */
  #checking: Promise<unknown> = Promise.resolve()

  /** Throws an OperatorError when the users file cannot be used. */
  constructor({
    users,
    usersFile,
    oidcIssuer = '',
  }: {
    users: Readonly<Record<string, string>>
    usersFile: string
    oidcIssuer?: string
  }) {
    this.#passwords = users
    this.#file = usersFile
    this.#issuer = oidcIssuer
    this.reload()
    for (const [name, password] of Object.entries(users)) {
      this.#given.set(this.#digest(name, password), this.#users.get(name)!)
    }
  }

  /**
   * Reads the users file again and returns the users who are gone or have changed. When the file cannot be used
   * it throws, and the users stay as they were.
   */
  reload(): string[] {
    const listed = this.#file === '' ? {} : readUsersFile(this.#file)
    const twice = Object.keys(listed).find((name) => Object.hasOwn(this.#passwords, name))
    if (twice !== undefined)
      throw new OperatorError(`The user ${twice} is in --users and in ${this.#file}: keep one of the two.`)
    this.#listed = listed
    return this.#gather()
  }

  /** Takes the users who were made by clicking, and returns the users who are gone or have changed. */
  keep(kept: readonly KeptUser[]): string[] {
    this.#kept = kept
    return this.#gather()
  }

  /** A name that a flag gives, too, is the flag's. */
  #gather(): string[] {
    const all = new Map<string, User>()
    const set = (name: string, { from, role, secret }: Pick<User, 'from' | 'role' | 'secret'>) => {
      const before = this.#users.get(name)
      const isSame = before?.secret === secret && before.role === role && before.from === from
      const hash = from === '--users' ? {} : { hash: parseHash(secret)! }
      all.set(name, isSame ? before : { from, role, secret, ...hash })
    }
    for (const { user, role, password, subject } of this.#kept) {
      const isHere = subject === undefined || (this.#issuer !== '' && subject.startsWith(`${this.#issuer} `))
      if (isHere) set(user, { from: subject === undefined ? null : '--oidc-issuer', role, secret: password })
    }
    for (const [name, secret] of Object.entries(this.#passwords))
      set(name, { from: '--users', role: 'write', secret })
    for (const [name, { role, password }] of Object.entries(this.#listed))
      set(name, { from: '--users-file', role, secret: password })
    const changed = [...this.#users].filter(([name, user]) => all.get(name) !== user).map(([name]) => name)
    this.#users = all
    return changed
  }

  get isEmpty(): boolean {
    return this.#users.size === 0
  }

  list(): (Identity & Pick<User, 'from'>)[] {
    return [...this.#users].map(([user, { role, from }]) => ({ user, role, from }))
  }

  find(name: string): Readonly<User> | undefined {
    return this.#users.get(name)
  }

  /** Resolves to undefined when the name or the password is wrong. With hashed passwords both cases take the same time. */
  async check(name: string, password: string): Promise<Identity | undefined> {
    const digest = this.#digest(name, password)
    const known = this.#given.get(digest) ?? this.#verified.get(digest)
    if (known !== undefined && this.#users.get(name) === known) return { user: name, role: known.role }
    if (this.#file === '' && this.#kept.length === 0) return undefined
    const user = this.#users.get(name)
    const isRight = this.#checking.then(() => isPasswordOf(password, user?.hash ?? this.#hashOfNobody(name)))
    this.#checking = isRight.catch(() => undefined)
    if (!(await isRight) || user === undefined) return undefined
    // The users may have changed meanwhile.
    if (this.#users.get(name) !== user) return this.check(name, password)
    if (this.#verified.size >= maxVerified) this.#verified.delete(this.#verified.keys().next().value!)
    this.#verified.set(digest, user)
    return { user: name, role: user.role }
  }

  /** The hash by which a client shows that it knows the password. An unknown name has always the same one. */
  async hashOf(name: string): Promise<PasswordHash> {
    const user = this.#users.get(name)
    if (user === undefined) return this.#hashOfNobody(name)
    user.hash ??= await quickHash(user.secret)
    return user.hash
  }

  /** An unknown name has the rounds of a known one, always of the same: by other rounds it would be told apart. */
  #hashOfNobody(name: string): PasswordHash {
    const digest = Buffer.from(this.#digest(name, ''), 'base64')
    const rounds = [...this.#users.values()].map(({ hash }) => hash?.iterations ?? quick)
    return hashOfNobody(digest, rounds[digest.readUInt32LE(saltBytes) % rounds.length] ?? quick)
  }

  #digest(name: string, password: string): string {
    return createHmac('sha256', this.#digestKey)
      .update(JSON.stringify([name, password]))
      .digest('base64')
  }
}

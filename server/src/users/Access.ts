import { EventEmitter } from 'node:events'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createMutex } from '../duckdb/transactions.js'
import { writeWhole } from '../disk/writeWhole.js'
import { screenPrefix } from '../files/screenRoutes.js'
import { hasEnded, hashSecret, type KeptKey } from '../http/apiKeys.js'
import { HttpError, refuse } from '../http/HttpError.js'
import { compileSchema } from '../http/readJson.js'
import type { Logger } from '../Logger.js'
import { OperatorError, reasonOf } from '../OperatorError.js'
import type { UserRole } from './Identity.js'
import { userRoles } from '../options/values.js'
import { parseHash } from './passwordHash.js'

/*
 * Users, keys and environments that were made by clicking are one JSON text: `{ "format": 1, "users": […], "keys": […],
 * "environments": […], "invitations": […], "changes": […] }`. An older one has no environments. It is the file access.json in the data folder or, with a log in PostgreSQL, a
 * row there. It is always written as a whole, together with the note of who has changed it: no kill comes between two
 * parts of a change. What flags and their files give is not in it.
 */

export interface KeptUser {
  user: string
  role: UserRole
  /** The hash of the password. */
  password: string
  /** The issuer and the id of who logs in by OpenID Connect, with a blank between. Nobody knows the password then. */
  subject?: string
}

export interface KeptEnvironment {
  name: string
  made_by: string
  made_at: string
  /** Since when it takes no events. Those that it has stay, and so does its name on the screens. */
  withdrawn_at: string | null
}

/** Whoever has the token of this hash sets the password of a user: of a new one, or of one who has forgotten it. */
export interface Invitation {
  user: string
  role: UserRole
  hash: string
  by: string
  ends_at: string
}

/** Who has changed what. No secret is in it. */
export interface AccessChange {
  at: string
  by: string
  change: string
  /** The user, the key or the environment. */
  of: string
  /** The role, or the environments. */
  as: string | null
}

export interface AccessState {
  users: readonly KeptUser[]
  keys: readonly KeptKey[]
  environments: readonly KeptEnvironment[]
  invitations: readonly Invitation[]
  /** The newest is the last. */
  changes: readonly AccessChange[]
}

const text = { type: 'string' }
const textOrNull = { type: 'string', nullable: true }
const role = { enum: userRoles }
const listOf = (properties: object, others: object = {}) => ({
  type: 'array',
  items: { type: 'object', required: Object.keys(properties), properties: { ...properties, ...others } },
})

const isShaped = compileSchema<Omit<AccessState, 'environments'> & Partial<AccessState>>({
  type: 'object',
  required: ['format', 'users', 'keys', 'invitations', 'changes'],
  properties: {
    format: { const: 1 },
    users: listOf({ user: text, role, password: text }, { subject: text }),
    keys: listOf({
      id: text,
      name: text,
      kind: { enum: ['public', 'server'] },
      key: textOrNull,
      hash: text,
      environments: { type: 'array', items: text, nullable: true },
      made_by: text,
      made_at: text,
      ends_at: textOrNull,
    }),
    environments: listOf({ name: text, made_by: text, made_at: text, withdrawn_at: textOrNull }),
    invitations: listOf({ user: text, role, hash: text, by: text, ends_at: text }),
    changes: listOf({ at: text, by: text, change: text, of: text, as: textOrNull }),
  },
})

const nothing: AccessState = { users: [], keys: [], environments: [], invitations: [], changes: [] }

const parse = (written: string): AccessState => {
  let value: unknown
  try {
    value = JSON.parse(written)
  } catch (error) {
    // V8's message quotes the text around the mistake, which may be a hash.
    throw new Error('it is not JSON', { cause: error })
  }
  if (!isShaped(value)) {
    const [error] = isShaped.errors ?? []
    throw new Error(`${error?.instancePath.slice(1) || 'it'} ${error?.message}`)
  }
  const wrong = value.users.find(({ password }) => parseHash(password) === undefined)
  if (wrong !== undefined) throw new Error(`the password of ${wrong.user} is not a hash`)
  return { ...nothing, ...value }
}

const withoutEnded = (state: AccessState): AccessState => ({
  ...state,
  keys: state.keys.filter((each) => !hasEnded(each)),
  invitations: state.invitations.filter((each) => !hasEnded(each)),
})

export const after = (ms: number) => new Date(Date.now() + ms).toISOString()

/** How long an invitation can be used. */
const invitedMs = 7 * 86_400_000
const mostInvitations = 100

/** Invites a new user, or one who is there to a new password. A second invitation ends the first. */
export const invite = (
  state: AccessState,
  { user: name, role: as, by }: { user: string; role: UserRole; by: string },
) => {
  const others = state.invitations.filter((each) => each.user !== name)
  if (others.length >= mostInvitations)
    throw refuse(
      409,
      'too-many',
      `There are ${mostInvitations} invitations that nobody has taken: withdraw one first.`,
    )
  const token = randomBytes(24).toString('base64url')
  const end = after(invitedMs)
  return {
    invitations: [...others, { user: name, role: as, hash: hashSecret(token), by, ends_at: end }],
    // No request carries what stands behind the #, so no log of a server or proxy has the token.
    answer: { address: `${screenPrefix}#invite=${token}`, ends_at: end },
  }
}

/** The environments that were made by clicking and take events. */
export const openEnvironments = ({ environments }: AccessState): string[] =>
  environments.filter((each) => each.withdrawn_at === null).map(({ name }) => name)

export const addEnvironment = (
  { environments }: AccessState,
  name: string,
  by: string,
): KeptEnvironment[] => [
  ...environments.filter((each) => each.name !== name),
  { name, made_by: by, made_at: new Date().toISOString(), withdrawn_at: null },
]

export const withdrawEnvironment = ({ environments }: AccessState, name: string): KeptEnvironment[] =>
  environments.map((each) =>
    each.name === name ? { ...each, withdrawn_at: new Date().toISOString() } : each,
  )

/** Where the text is kept. */
export interface AccessPlace {
  /** For messages. */
  name: string
  read(): Promise<{ text: string | undefined; revision: number }>
  /** Takes the place of that revision; false when another process was first. */
  write(text: string, revision: number): Promise<boolean>
  /** Calls `look` when another process may have written. */
  follow(look: () => void): void
}

/** A data folder belongs to one process, so nobody else writes the file. */
export const accessFile = (path: string): AccessPlace => ({
  name: path,
  read() {
    try {
      return Promise.resolve({ text: readFileSync(path, 'utf8'), revision: 0 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return Promise.resolve({ text: undefined, revision: 0 })
      return Promise.reject(error)
    }
  },
  write(written) {
    writeWhole(path, written)
    return Promise.resolve(true)
  },
  follow: () => undefined,
})

/** Two administrators who change something in one moment on two processes: one of them is asked to begin again. */
const mostTries = 10
const mostChanges = 1000

/** What one change makes of the state, and what it answers. */
export interface Made<T> {
  state: Partial<AccessState>
  note: Omit<AccessChange, 'at'>
  answer: T
}

/** What was made by clicking, as this process knows it. */
export class Access extends EventEmitter<{ changed: [] }> {
  readonly #place: AccessPlace
  readonly #logger: Logger
  readonly #oneAtATime = createMutex()
  #state = nothing

  private constructor(place: AccessPlace, logger: Logger) {
    super()
    this.#place = place
    this.#logger = logger
  }

  /** Throws an OperatorError when what is kept cannot be used; where `mayBeAway` it need not be there yet. */
  static async open(
    place: AccessPlace,
    { logger, mayBeAway }: { logger: Logger; mayBeAway: boolean },
  ): Promise<Access> {
    const access = new Access(place, logger)
    try {
      access.#state = (await access.#read()).state
    } catch (error) {
      if (!mayBeAway) throw new OperatorError(`${place.name} cannot be used: ${reasonOf(error)}.`)
      logger.warn('Users and keys that were made by clicking are not known yet.', { reason: reasonOf(error) })
    }
    place.follow(() => void access.#lookAgain())
    return access
  }

  get state(): AccessState {
    return this.#state
  }

  /** Changes what is kept, from what is there now. Rejects with an HttpError, and then nothing has changed. */
  async change<T>(make: (state: AccessState) => Made<T>): Promise<T> {
    return this.#oneAtATime(async () => {
      for (let tries = 0; tries < mostTries; tries++) {
        const before = await this.#attempt(() => this.#read())
        const { state, note, answer } = make(withoutEnded(before.state))
        const change = { at: new Date().toISOString(), ...note }
        const changes = [...before.state.changes, change].slice(-mostChanges)
        const next = { ...withoutEnded(before.state), ...state, changes }
        const written = `${JSON.stringify({ format: 1, ...next }, undefined, 2)}\n`
        if (!(await this.#attempt(() => this.#place.write(written, before.revision)))) continue
        this.#logger.info('Users or keys were changed.', { ...change })
        this.#take(next)
        return answer
      }
      throw refuse(503, 'not-kept', 'Others change users and keys at the same time. Send again.', {
        'retry-after': '1',
      })
    })
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof HttpError) throw error
      this.#logger.error('Users and keys cannot be changed.', { reason: reasonOf(error) })
      const message = `This cannot be kept now: ${this.#place.name} cannot be used (${reasonOf(error)}). See what is there before you send it again.`
      throw refuse(503, 'not-kept', message)
    }
  }

  async #read(): Promise<{ state: AccessState; revision: number }> {
    const { text: written, revision } = await this.#place.read()
    return { state: written === undefined ? nothing : parse(written), revision }
  }

  #lookAgain(): Promise<void> {
    return this.#oneAtATime(async () => {
      try {
        this.#take((await this.#read()).state)
      } catch (error) {
        const reason = reasonOf(error)
        this.#logger.error('Users and keys that others have changed are not known.', { reason })
      }
    })
  }

  #take(state: AccessState): void {
    this.#state = state
    this.emit('changed')
  }
}

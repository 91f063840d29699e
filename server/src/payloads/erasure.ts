import { createHash } from 'node:crypto'
import { bodyReader } from '../http/readJson.js'
import { refuse, shorten } from '../http/HttpError.js'

export interface PersonId {
  environment: string
  id: string
}

export const exportPath = '/persons/export'
export const erasePath = '/persons/erase'

const maxBodyBytes = 65_536

/** Reads which person a request is about. */
export const readAskedPerson = bodyReader<PersonId>(
  {
    type: 'object',
    required: ['environment', 'id'],
    properties: { environment: { type: 'string', minLength: 1 }, id: { type: 'string', minLength: 1 } },
    additionalProperties: false,
  },
  maxBodyBytes,
)

export const personNotFound = ({ environment, id }: PersonId) =>
  refuse(
    404,
    'person-not-found',
    `Nobody in the environment ${shorten(environment, 100)} has the id ${shorten(id, 200)}. Persons that were erased are in the view privacy_log.`,
  )

/** What an erasure removed. */
export interface Erased {
  events: number
  traits: number
  identities: number
  /** Rejected records. */
  rejected: number
  /** Events of others that named an anonymous id of the person; they lost that id and stay. */
  unlinked: number
}

interface Request {
  task: string
  environment: string
  user: string
  askedAtMs: number
}

/** A user's request to erase a person. */
export interface ErasureRequest extends Request {
  id: string
}

/** How an erase stands in a log in PostgreSQL: a key stands for the id, because the log may be kept for longer than the person. */
export interface LoggedRequest extends Request {
  key: string
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What stands before an id of an environment when its key is made. */
export const keyPrefix = (secret: string, environment: string): string => secret + sha256(environment)

/**
 * Stands for an id in a log in PostgreSQL, which may be kept and copied for longer than the person. `secret` is the
 * log's: all of its processes make the same key of an id, and nobody finds the id by it.
 */
export const keyOf = (secret: string, { environment, id }: PersonId): string =>
  sha256(keyPrefix(secret, environment) + id)

/** The id in the log that takes the place of the ids of a person who was erased. */
export const standInOf = (task: string): string => `erased-${task}`

/** The kind of an entry in a log in PostgreSQL that asks to erase persons. Its body is a list of requests. */
export const eraseKind = 'erase'

/** How far an erasure has come. `unknown`: nobody has the id. `failed`: see the reason. */
export type ErasureState = { task: string } & (
  | { state: 'pending' }
  | { state: 'unknown' }
  | { state: 'failed'; reason: string }
  | { state: 'done'; person: string; erased: Erased }
)

export type ErasureOutcome = Exclude<ErasureState, { state: 'pending' }>

/** A query process that has not erased a person yet. */
export interface AwaitedStore {
  /** Its machine and data folder. */
  store: string
  last_seen: string
}

import { createHash } from 'node:crypto'
import type { PersonId } from './personRows.js'

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

import { nanoid } from 'nanoid'

/** Two instances draw the same only once in 2^63 ids. @defaultValue 21 characters, 126 random bits */
export const newId = nanoid

/** What a bug passes as a user id more often than a user has it. */
const reserved = /^(|0|-1|nan|null|undefined|none|nil|true|false|guest|anonymous|\[object .*\])$/i

/** Reads a user id; undefined when it cannot be one. */
export const readUserId = (given: unknown): string | undefined => {
  const id = typeof given === 'number' ? `${given}` : given
  return typeof id === 'string' && !reserved.test(id.trim()) ? id : undefined
}

import { urlAlphabet } from 'nanoid'

/** One call to the browser for its random bytes costs as much as the rest of an id: draw for many. */
let pool = new Uint8Array()
let used = 0

/** A nanoid: 21 characters of nanoid's alphabet, 126 random bits. */
export const newId = (size = 21): string => {
  if (used + size > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(2048))
    used = 0
  }
  let id = ''
  // 64 characters: every one of them is as likely.
  for (; size; size--) id += urlAlphabet[pool[used++]! & 63]
  return id
}

/** What a bug passes as a user id more often than a user has it. */
const reserved = /^(|0|-1|nan|null|undefined|none|nil|true|false|guest|anonymous|\[object .*\])$/i

/** Reads a user id; undefined when it cannot be one. */
export const readUserId = (given: unknown): string | undefined => {
  const id = typeof given === 'number' ? `${given}` : given
  return typeof id === 'string' && !reserved.test(id.trim()) ? id : undefined
}

import { urlAlphabet } from 'nanoid'

/**
 * Random bytes for ids to come: one call to the browser for them costs as much as the rest of an id. The same array is
 * filled again and again: a new one takes ten times as long, which made one call of `track` in a hundred slow.
 */
let pool = new Uint8Array(4000)
let used = pool.length

/** A nanoid: 21 characters of nanoid's alphabet, 126 random bits. */
export const newId = (size = 21): string => {
  if (used + size > pool.length) {
    // What stands in for `crypto` in a page's tests may give another array.
    pool = crypto.getRandomValues(pool)
    used = 0
  }
  // 64 characters: every one of them is as likely. Those of one id alone: for all of the pool at once, one call in a hundred
  // took as long as three.
  const codes = pool.subarray(used, (used += size)).map((byte) => urlAlphabet.charCodeAt(byte & 63))
  // All at once: a text that grows by characters took a microsecond and a half of `track`, a fifth of it.
  return String.fromCharCode.apply(0, codes as never)
}

/** Texts that are more often a bug's than a user's id. */
const reserved = /^(|0|-1|nan|null|undefined|none|nil|true|false|guest|anonymous|\[object .*\])$/i

/** Reads a user id; undefined when it cannot be one. */
export const readUserId = (given: unknown): string | undefined => {
  const id = typeof given === 'number' ? given + '' : given
  return typeof id === 'string' && !reserved.test(id.trim()) ? id : undefined
}

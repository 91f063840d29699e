import { urlAlphabet } from 'nanoid'

/** One call to the browser for its random bytes costs as much as the rest of an id: draw for many. */
let pool = new Uint8Array()
let used = 0

/** A nanoid: 21 characters of nanoid's alphabet, 126 random bits. */
export function newId(size = 21): string {
  if (used + size > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(2048))
    used = 0
  }
  let id = ''
  // 64 characters: every one of them is as likely.
  for (; size; size--) id += urlAlphabet[pool[used++]! & 63]
  return id
}

import { customRandom, urlAlphabet } from 'nanoid'

/** One call to the browser for its random bytes costs as much as the rest of an id: draw for many. */
let pool = new Uint8Array()
let used = 0

const draw = (size: number) => {
  if (used + size > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(2048))
    used = 0
  }
  used += size
  return pool.subarray(used - size, used)
}

/** A nanoid: 21 characters, 126 random bits. */
export const newId = customRandom(urlAlphabet, 21, draw)

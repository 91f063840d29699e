import { timingSafeEqual } from 'node:crypto'

const lengthBytes = 4
const usualBytes = 256

/** Says whether a presented secret is one of a few, in a time that tells nothing about them. */
export const createSecretSet = (secrets: readonly string[]): ((presented: string) => boolean) => {
  const longest = Math.max(usualBytes, ...secrets.map((secret) => Buffer.byteLength(secret)))

  /** All of one size, with the length before, so that comparing takes as long whatever is compared. */
  const pad = (secret: string) => {
    const padded = Buffer.alloc(lengthBytes + longest)
    padded.writeUInt32LE(Buffer.byteLength(secret))
    padded.write(secret, lengthBytes)
    return padded
  }

  const known = secrets.map(pad)
  return (presented) => {
    const asked = pad(presented)
    let found = false
    for (const each of known) found = timingSafeEqual(each, asked) || found
    return found
  }
}

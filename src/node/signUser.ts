const hex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const hmac = async (hash: 'SHA-256' | 'SHA-512', secret: string, text: string): Promise<string> => {
  const encode = (each: string) => new TextEncoder().encode(each)
  const key = await crypto.subtle.importKey('raw', encode(secret), { name: 'HMAC', hash }, false, ['sign'])
  return hex(await crypto.subtle.sign('HMAC', key, encode(text)))
}

/** Where and until when a signature holds. */
export interface SignatureBounds {
  /** The environment of the `identify`. */
  environment: string
  /** Unix milliseconds, by the service's clock. */
  until: number
}

/**
 * Signs the id of a user for a page, whose `identify` a service with `--identity-secret` takes only so. Sign the id of
 * who is signed in, never one that the page names.
 *
 * Without bounds it is the HMAC-SHA256 of the id in hexadecimal, which holds for ever and in each environment. With
 * bounds it is `<until>.` and the HMAC-SHA512 of `<until>\n<environment>\n<id>`.
 *
 * @example
 * const until = Date.now() + 3_600_000
 * const signature = await signUser('u_1', process.env.IDENTITY_SECRET, { environment: 'production', until })
 * // in the page: waymark.identify('u_1', { $signature: signature })
 */
export const signUser = async (userId: string, secret: string, bounds?: SignatureBounds): Promise<string> => {
  if (bounds === undefined) return hmac('SHA-256', secret, userId)
  const { environment, until } = bounds
  return `${until}.${await hmac('SHA-512', secret, `${until}\n${environment}\n${userId}`)}`
}

const hex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Signs the id of a user for a page, whose `identify` a service with `--identity-secret` takes only so: HMAC-SHA256 in
 * hexadecimal. Sign the id of who is signed in, never one that the page names.
 *
 * @example
 * const signature = await signUser('u_1', process.env.IDENTITY_SECRET)
 * // in the page: waymark.identify('u_1', { $signature: signature })
 */
export const signUser = async (userId: string, secret: string): Promise<string> => {
  const encode = (text: string) => new TextEncoder().encode(text)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encode(secret), algorithm, false, ['sign'])
  return hex(await crypto.subtle.sign('HMAC', key, encode(userId)))
}

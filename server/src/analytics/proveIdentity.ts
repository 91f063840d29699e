import { createHmac, timingSafeEqual } from 'node:crypto'
import { splitArray } from '../json/splitArray.js'
import type { IdentifyPayload } from './payloads.js'

/** The trait that carries the signature of the user's id. It is never stored. */
export const signatureTrait = '$signature'

/**
 * What the log says of a request by a public key, as the label of its entry, where `--identity-secret` is given. It is
 * decided when the request is accepted, so that what is read again from the log is decided alike.
 */
export const publicLabel = '{"key":"public"}'
export const unprovenLabel = '{"key":"unproven"}'

/** Whether a public key sent an entry. Other fields of the label cannot hold these quotes. */
export const isPublic = (label: string | undefined): boolean => label?.includes('"key":"public"') ?? false

/** HMAC-SHA256 of a user's id, in hexadecimal. */
const sign = (secret: string, userId: string): Buffer =>
  Buffer.from(createHmac('sha256', secret).update(userId).digest('hex'))

const isProven = (row: Buffer, secret: string): boolean => {
  const { distinct_id: user, traits } = JSON.parse(row.toString()) as IdentifyPayload
  const given = Buffer.from(String(traits?.[signatureTrait] ?? ''))
  const right = sign(secret, user)
  return given.length === right.length && timingSafeEqual(given, right)
}

const arrayOf = (rows: readonly Buffer[]) => ({
  count: rows.length,
  body: Buffer.from(`[${rows.map(String).join()}]`),
})

/** Parts the identifies of a public key: those whose user's id the site's own server has signed, and the others. */
export const partBySignature = (body: Buffer, secret: string) => {
  const rows = splitArray(body)
  const proven = rows.map((row) => isProven(row, secret))
  return {
    proven: arrayOf(rows.filter((_, at) => proven[at])),
    unproven: arrayOf(rows.filter((_, at) => !proven[at])),
  }
}

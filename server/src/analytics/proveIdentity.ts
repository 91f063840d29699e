import { createHmac, timingSafeEqual } from 'node:crypto'
import { splitArray } from '../http/json/sliceItems.js'
import type { IdentifyPayload } from '../payloads/payloads.js'

/** The trait that carries the signature of the user's id. It is never stored. */
export const signatureTrait = '$signature'

/**
 * What the log says of a request by a public key, as the label of its entry, where `--identity-secret` is given. It is
 * decided when the request is accepted, so that what is read again from the log is decided alike.
 */
export const publicLabel = '{"key":"public"}'
export const unprovenLabel = '{"key":"unproven"}'
/** What the log says of payloads about nobody. */
export const nobodyLabel = '{"key":"nobody"}'

/** Entries with these labels are set aside, for these reasons. */
export const reasonsAside: ReadonlyMap<string | undefined, string> = new Map([
  [unprovenLabel, 'The id of the user is not signed (--identity-secret).'],
  [nobodyLabel, 'The id of the user is one that a bug gives: strangers would become one person.'],
])

/** Whether a public key sent an entry. Other fields of the label cannot hold these quotes. */
export const isPublic = (label: string | undefined): boolean => label?.includes('"key":"public"') ?? false

const hmac = (algorithm: 'sha256' | 'sha512', secret: string, text: string): string =>
  createHmac(algorithm, secret).update(text).digest('hex')

/** `<until>.` and a hash: a signature that holds until then, in one environment. */
const bounded = /^(\d{1,15})\.[\da-f]{128}$/

/**
 * The signature that a user's id must have: the HMAC-SHA256 of the id in hexadecimal, which holds for ever and in each
 * environment, or one with bounds, where the given one has that form and its time is not over. Their hash functions
 * differ, so that no id which is signed in the first form can be taken for the second.
 */
const rightFor = (given: string, { environment, distinct_id: user }: IdentifyPayload, secret: string) => {
  const [, until] = bounded.exec(given) ?? []
  if (until === undefined || Number(until) < Date.now()) return hmac('sha256', secret, user)
  return `${until}.${hmac('sha512', secret, `${until}\n${environment}\n${user}`)}`
}

const isProven = (row: Buffer, secret: string): boolean => {
  const payload = JSON.parse(row.toString()) as IdentifyPayload
  const given = String(payload.traits?.[signatureTrait] ?? '')
  const [shown, right] = [Buffer.from(given), Buffer.from(rightFor(given, payload, secret))]
  return shown.length === right.length && timingSafeEqual(shown, right)
}

const arrayOf = (rows: readonly Buffer[]) => ({
  count: rows.length,
  body: Buffer.from(`[${rows.map(String).join()}]`),
})

/** Parts the payloads of a body: those that are taken, and the others. */
export const partPayloads = (body: Buffer, isTaken: (row: Buffer, at: number) => boolean) => {
  const rows = splitArray(body)
  const taken = rows.map(isTaken)
  return {
    taken: arrayOf(rows.filter((_, at) => taken[at])),
    others: arrayOf(rows.filter((_, at) => !taken[at])),
  }
}

/** Parts the identifies of a public key: those whose user's id the site's own server has signed, and the others. */
export const partBySignature = (body: Buffer, secret: string) =>
  partPayloads(body, (row) => isProven(row, secret))

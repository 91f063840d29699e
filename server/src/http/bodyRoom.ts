import type { IncomingMessage } from 'node:http'
import { refuse } from './HttpError.js'

/** Bodies up to this size are always taken: browsers send no larger ones. */
const smallBytes = 2 ** 18
/** How many bytes the larger bodies of one holder take at once. */
const maxBytes = 2 ** 25

/** Whose body it is: an API key, a user or an address. */
type Holder = string

const heldBy = new Map<Holder, number>()
const bodies = new WeakMap<IncomingMessage, { holder: Holder; bytes: number }>()

/**
 * Bounds the memory of large bodies on all routes, from their first byte until `releaseBody`. Keys are public, so a
 * client that uses up the room of a key must not keep out the small bodies of others.
 *
 * @param most what a single body may have, which is always room enough for one of them
 * @throws 503 when there is no room for so many bytes
 */
export const holdBody = (request: IncomingMessage, holder: Holder, bytes: number, most: number): void => {
  const own = bodies.get(request)?.bytes ?? 0
  if (bytes <= smallBytes || bytes <= own) return
  const all = (heldBy.get(holder) ?? 0) + bytes - own
  if (all > Math.max(maxBytes, most)) throw tooMuch()
  heldBy.set(holder, all)
  bodies.set(request, { holder, bytes })
}

/** Frees the room: the request has been answered. */
export const releaseBody = (request: IncomingMessage): void => {
  const body = bodies.get(request)
  if (body === undefined) return
  bodies.delete(request)
  const left = heldBy.get(body.holder)! - body.bytes
  if (left > 0) heldBy.set(body.holder, left)
  else heldBy.delete(body.holder)
}

const tooMuch = () =>
  refuse(
    503,
    'overloaded',
    'Too many large bodies of this key or user are under way. Send again in a while.',
    {
      'retry-after': '2',
    },
  )

import { type HttpError, refuse } from '../http/HttpError.js'

/** SQL that is wrong, not allowed, or failed while it ran. */
export const refuseStatement = (message: string): HttpError => refuse(400, 'invalid-statement', message)

/** A field of the request that cannot be followed. */
export const refuseField = (message: string): HttpError => refuse(400, 'invalid-request', message)

export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^Failed to extract statements: /, '')

/** Of SQL before which we have put a line of ours: what the message shows begins with the user's. */
export const messageOfSecondLine = (error: unknown): string =>
  messageOf(error).replaceAll(/^LINE (\d+):/gm, (_, line) => `LINE ${Number(line) - 1}:`)

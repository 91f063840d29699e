import { userHeader } from '../http/Route.js'
import type { IncomingMessage } from 'node:http'
import { refuse } from '../http/HttpError.js'
import { type UserRole, userRoles } from '../options/values.js'

export type { UserRole }

export const guestPath = '/guest'
/** For the ingest process alone: who may show the page of a link in a frame. */
export const framesPath = '/guest/frames/'
/** How many letters of the token's hash stand in the address of a link. */
export const idLength = 16

const isRole = (role: unknown): role is UserRole => userRoles.some((each) => each === role)

/** The user of a request, after the password or the login's token was found right. */
export interface Identity {
  user: string
  role: UserRole
}

/** Who has a link and no login. Only the routes of guests take this role; for all others it is nobody. */
export interface Guest {
  /** The hash of the link's token. */
  user: string
  role: 'guest'
}

const roleHeader = 'x-waymark-role'

/** The headers that tell the engine who the user is. Only the ingest process can reach the engine's socket, so they are trusted. */
export const identityHeaders = ({ user, role }: Identity | Guest): Record<string, string> => ({
  // A header cannot hold letters beyond Latin-1.
  [userHeader]: encodeURIComponent(user),
  [roleHeader]: role,
})

export const readIdentity = ({ headers }: IncomingMessage): Identity => {
  const [user, role] = [headers[userHeader], headers[roleHeader]]
  if (typeof user !== 'string' || !isRole(role)) {
    throw refuse(401, 'unauthorized', 'The engine answers the ingest process alone.')
  }
  return { user: decodeURIComponent(user), role }
}

/** The hash of a guest's token. */
export const readGuest = ({ headers }: IncomingMessage): string => {
  const user = headers[userHeader]
  if (typeof user !== 'string' || headers[roleHeader] !== 'guest')
    throw refuse(401, 'unauthorized', 'The engine answers the ingest process alone.')
  return user
}

export const readOnlyUser = () =>
  refuse(403, 'read-only-user', 'This user may only read: ask for a user with the role write.')

export const adminsOnly = () => refuse(403, 'admins-only', 'This is for users with the role admin.')

import type { IncomingMessage } from 'node:http'
import { refuse } from '../http/HttpError.js'

/** `read` changes nothing; `write` may do everything that the lakehouse group offers. */
export type UserRole = 'read' | 'write'

/** Who a request comes from, after the password or the session was found right. */
export interface Identity {
  user: string
  role: UserRole
}

const userHeader = 'x-waymark-user'
const roleHeader = 'x-waymark-role'

/** Tells the engine who asks. The engine's socket is the ingest process's alone, so it believes this. */
export const identityHeaders = ({ user, role }: Identity): Record<string, string> => ({
  // A header takes no letters beyond Latin-1.
  [userHeader]: encodeURIComponent(user),
  [roleHeader]: role,
})

export const readIdentity = ({ headers }: IncomingMessage): Identity => {
  const [user, role] = [headers[userHeader], headers[roleHeader]]
  if (typeof user !== 'string' || (role !== 'read' && role !== 'write')) {
    throw refuse(401, 'unauthorized', 'The engine answers the ingest process alone.')
  }
  return { user: decodeURIComponent(user), role }
}

export const readOnlyUser = () =>
  refuse(403, 'read-only-user', 'This user may only read: ask for a user with the role write.')

import { base } from './base'
import type { User } from './login'
import { post } from './post'
import { readProblem, toProblem } from './Problem'

export type Role = User['role']

export interface KnownUser {
  user: string
  role: Role
  /** The flag that gives the user; null for one who was made here. */
  from: string | null
}

export interface KnownKey {
  /** Null for a key of a flag, as `name`, `made_by` and `made_at`. */
  id: string | null
  name: string | null
  kind: 'public' | 'server'
  /** Null for a key of servers. */
  key: string | null
  environments: string[]
  /** Whether it writes to all environments, also to those that are added. */
  all: boolean
  from: string | null
  made_by: string | null
  made_at: string | null
  /** When a key ends that was replaced. */
  ends_at: string | null
}

export interface KnownEnvironment {
  name: string
  /** Null for one that was made here. */
  from: string | null
  made_by: string | null
  made_at: string | null
  /** Since when it takes no events. */
  withdrawn_at: string | null
}

export interface Invitation {
  user: string
  role: Role
  by: string
  ends_at: string
}

export interface AccessChange {
  at: string
  by: string
  change: string
  of: string
  as: string | null
}

/** Users, keys and environments, for users with the role admin. */
export interface Access {
  users: KnownUser[]
  keys: KnownKey[]
  environments: KnownEnvironment[]
  invitations: Invitation[]
  changes: AccessChange[]
}

/** Throws a `Problem`, nothing else. */
export async function askAccess(signal: AbortSignal): Promise<Access> {
  try {
    const response = await fetch(`${base}/access`, { signal })
    if (!response.ok) throw await readProblem(response)
    return (await response.json()) as Access
  } catch (error) {
    throw toProblem(error, signal)
  }
}

/** What is shown only once: a link for a user, or a key. */
export interface MadeAccess {
  address?: string
  key?: string
  ends_at?: string
  old_ends_at?: string
}

/** Changes users, keys or environments. Throws a `Problem`, nothing else. */
export const changeAccess = (body: { change: string } & Record<string, unknown>): Promise<MadeAccess> =>
  post('/access', body)

/** Changes the own password. Throws a `Problem`, nothing else. */
export const changePassword = (old: string, next: string): Promise<object> =>
  post('/password', { old, new: next })

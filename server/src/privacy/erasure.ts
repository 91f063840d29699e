/** What an erasure removed. */
export interface Erased {
  events: number
  traits: number
  identities: number
  /** Rejected records. */
  rejected: number
  /** Events of others that named an anonymous id of the person; they lost that id and stay. */
  unlinked: number
}

/** A user's request to erase a person. */
export interface ErasureRequest {
  task: string
  environment: string
  id: string
  user: string
  askedAtMs: number
}

/** How far an erasure has come. `unknown`: nobody has the id. `failed`: see the reason. */
export type ErasureState = { task: string } & (
  | { state: 'pending' }
  | { state: 'unknown' }
  | { state: 'failed'; reason: string }
  | { state: 'done'; person: string; erased: Erased }
)

export type ErasureOutcome = Exclude<ErasureState, { state: 'pending' }>

/** What an erase removed. */
export interface Erased {
  events: number
  traits: number
  identities: number
  /** Records that had been set aside. */
  rejected: number
  /** Events of others that named an anonymous id of the person; they lost that id and stay. */
  unlinked: number
}

/** That somebody wants a person erased. */
export interface ErasureRequest {
  task: string
  environment: string
  id: string
  user: string
  askedAtMs: number
}

/** How far an erase has come. `unknown`: nobody has the id. `failed`: see the reason. */
export type ErasureState = { task: string } & (
  | { state: 'pending' }
  | { state: 'unknown' }
  | { state: 'failed'; reason: string }
  | { state: 'done'; person: string; erased: Erased }
)

export type ErasureOutcome = Exclude<ErasureState, { state: 'pending' }>

export type IdentityOperation =
  | { kind: 'user'; environment: string; user: string }
  | { kind: 'link'; environment: string; user: string; anonymous: string; isPublic?: boolean }
  | { kind: 'alias'; environment: string; from: string; into: string }

export interface IdRow {
  environment: string
  distinctId: string
  personId: string
  /** Whether the id names a user; an id that is not identified was only linked as somebody's anonymous id. */
  identified: boolean
}

export const keyOf = (environment: string, id: string) => `${environment}\u0000${id}`

/**
 * Applies identity operations in their order to the rows known about their ids, and gives the rows that changed.
 * `known` must hold the row of every id named, and of every id of the persons that may be merged away.
 *
 * An anonymous id belongs to the first user that it was linked to: a shared browser must not make two users one
 * person. An anonymous id that was itself identified as a user is linked too, as long as its person has no other id.
 * A person with several ids is merged only by an alias, and the merged person has the name of the alias's target.
 */
export const resolveIdentity = (
  operations: readonly IdentityOperation[],
  known: readonly IdRow[],
): IdRow[] => {
  const rows = new Map<string, IdRow>()
  const members = new Map<string, Set<string>>()
  const changed = new Set<string>()

  const remember = (row: IdRow) => {
    const key = keyOf(row.environment, row.distinctId)
    const person = keyOf(row.environment, row.personId)
    rows.set(key, row)
    const ids = members.get(person)
    if (ids) ids.add(key)
    else members.set(person, new Set([key]))
    return key
  }
  for (const row of known) remember({ ...row })

  const put = (row: IdRow) => changed.add(remember(row))

  const ensureUser = (environment: string, user: string): IdRow => {
    const row = rows.get(keyOf(environment, user))
    if (row === undefined) {
      const fresh = { environment, distinctId: user, personId: user, identified: true }
      put(fresh)
      return fresh
    }
    if (!row.identified) {
      row.identified = true
      changed.add(keyOf(environment, user))
    }
    return row
  }

  const merge = (environment: string, from: string, into: string) => {
    const survivor = keyOf(environment, into)
    const loser = keyOf(environment, from)
    const kept = members.get(survivor) ?? new Set()
    for (const key of members.get(loser) ?? []) {
      rows.get(key)!.personId = into
      kept.add(key)
      changed.add(key)
    }
    members.set(survivor, kept)
    members.delete(loser)
  }

  const isAlone = ({ environment, distinctId, personId }: IdRow) =>
    distinctId === personId && members.get(keyOf(environment, personId))?.size === 1

  for (const operation of operations) {
    const { environment } = operation
    if (operation.kind === 'alias') {
      const into = ensureUser(environment, operation.into)
      const from = rows.get(keyOf(environment, operation.from))
      if (from === undefined) {
        put({ environment, distinctId: operation.from, personId: into.personId, identified: true })
      } else if (from.personId !== into.personId) {
        merge(environment, from.personId, into.personId)
      }
      continue
    }
    const user = ensureUser(environment, operation.user)
    if (operation.kind !== 'link') continue
    const { personId } = user
    const anonymous = rows.get(keyOf(environment, operation.anonymous))
    if (anonymous === undefined) {
      put({ environment, distinctId: operation.anonymous, personId, identified: false })
    } else if (
      isAlone(anonymous) &&
      anonymous.personId !== personId &&
      // A visitor who proves to be one user may not call another user their anonymous self.
      !(operation.isPublic && anonymous.identified)
    ) {
      merge(environment, anonymous.personId, personId)
    }
  }
  return [...changed].map((key) => rows.get(key)!)
}

import type { Json } from '../../data/query'

export interface KnownPerson {
  personId: string
  name: string
  traits: Json
  /** How many there are. */
  events: number
  firstSeen: string
  lastSeen: string
  ids: string[]
}

/** A row of `onePerson`. */
export const readPerson = ([id, name, traits, events, first, last, ids]: readonly Json[]): KnownPerson => ({
  personId: String(id),
  name: String(name),
  traits: traits ?? null,
  events: Number(events),
  firstSeen: String(first),
  lastSeen: String(last),
  ids: Array.isArray(ids) ? ids.map(String) : [],
})

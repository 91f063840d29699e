export const mostDrift = 500

/** The name by which the answer `plan_drift` has what was said of users. */
export const ofTraits = '$identify'

const columns = [
  'event',
  'property',
  'problem',
  'events',
  'first_seen',
  'first_release',
  'last_seen',
] as const
export type DriftColumn = (typeof columns)[number]

export interface Order {
  by: DriftColumn
  isDescending: boolean
}

/** The order that the address names: `-events` has the most first. */
export function readOrder(text: string | null): Order {
  const by = columns.find((column) => column === text?.replace('-', ''))
  return by ? { by, isDescending: text!.startsWith('-') } : { by: 'events', isDescending: true }
}

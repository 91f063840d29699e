const columns = ['person', 'traits', 'ids', 'events', 'first', 'last'] as const

/** What the list is sorted by. */
export interface Order {
  by: (typeof columns)[number]
  isDescending: boolean
}

/** `events` or `-events`, which is descending. The usual order has who was seen last first. */
export function readOrder(text: string | null): Order {
  const name = text?.replace(/^-/, '') ?? ''
  const by = columns.find((each) => each === name)
  return by ? { by, isDescending: text !== by } : { by: 'last', isDescending: true }
}

import type { Json } from '../../data/query'

/** What plugins record without a deed of the visitor. */
const measured = ['Web Vital', 'Page Engaged']
const errors = ['Error Caught']

/** Kinds of events, by their names. */
const kinds = [
  {
    name: 'views',
    title: 'Page views',
    has: (event: string) => event === '$pageview',
    ask: { events: ['$pageview'] },
  },
  {
    name: 'done',
    title: 'Views and actions',
    has: (event: string) => ![...measured, ...errors].includes(event),
    ask: { without: [...measured, ...errors] },
  },
  {
    name: 'measured',
    title: 'Vitals and engaged time',
    has: (event: string) => measured.includes(event),
    ask: { events: measured },
  },
  {
    name: 'errors',
    title: 'Errors',
    has: (event: string) => errors.includes(event),
    ask: { events: errors },
  },
] as const

/** Which events of a person are shown: of a kind, of a name, or all. */
export interface EventChoice {
  kind?: (typeof kinds)[number]['name']
  event?: string
}

export function readEventChoice(search: URLSearchParams): EventChoice {
  const event = search.get('event')
  if (event !== null) return { event }
  const kind = kinds.find(({ name }) => name === search.get('kind'))
  return kind ? { kind: kind.name } : {}
}

/** What the answer `timeline` is asked for. */
export function askEvents({ kind, event }: EventChoice): {
  events?: readonly string[]
  without?: readonly string[]
} {
  if (event !== undefined) return { events: [event] }
  return kinds.find(({ name }) => name === kind)?.ask ?? {}
}

export interface Offer {
  /** How a `<select>` calls it. */
  value: string
  title: string
  times: number
}

/** The kinds and names that can be chosen, of rows `[event, times]`. A kind of all events, or of none, is left out. */
export function listOffers(rows: readonly Json[][]): { all: number; kinds: Offer[]; names: Offer[] } {
  const names = rows.map(([event, times]) => ({
    value: `event ${String(event)}`,
    title: String(event),
    times: Number(times),
  }))
  const sum = (some: readonly Offer[]) => some.reduce((total, { times }) => total + times, 0)
  const all = sum(names)
  const offered = kinds
    .map(({ name, title, has }) => ({
      value: `kind ${name}`,
      title,
      times: sum(names.filter((each) => has(each.title))),
    }))
    .filter(({ times }) => times > 0 && times < all)
  return { all, kinds: offered, names }
}

/** The choice of a value of `listOffers`, for the address. */
export const toSearch = (value: string): Record<'kind' | 'event', string | undefined> => ({
  kind: value.startsWith('kind ') ? value.slice(5) : undefined,
  event: value.startsWith('event ') ? value.slice(6) : undefined,
})

export const toValue = ({ kind, event }: EventChoice): string =>
  event === undefined ? (kind ? `kind ${kind}` : '') : `event ${event}`

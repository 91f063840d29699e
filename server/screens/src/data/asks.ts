import type { Filter } from './filters'
import type { Json } from './query'

/** An answer that has a name, with what is said of it (docs/answers.md, "Asked by name"). */
export interface Ask {
  name: string
  [parameter: string]: Json | readonly Json[] | undefined
}

export interface Period {
  from: Date
  /** Exclusive. */
  until: Date
}

/** What most answers are about. */
export interface Asking {
  environment: string
  bots: boolean
  /** `before` is what it is compared with, if anything. */
  range: Period & { before: Period | undefined }
  /** The segment; by default all. */
  filters?: readonly Filter[]
}

export const periodOf = ({ from, until }: Period) => ({
  from: from.toISOString(),
  until: until.toISOString(),
})

/** Filters as the service reads them. */
export const whereOf = (filters: readonly Filter[]) =>
  filters.map(({ values, ...filter }) => ({ ...filter, values: [...values] }))

/** Asks of what the header and the filters say. */
export const askOf = (
  name: string,
  { environment, bots, range, filters = [] }: Asking,
  more: Omit<Ask, 'name'> = {},
): Ask => ({
  ...{ name, environment, bots, ...periodOf(range) },
  ...(filters.length > 0 && { where: whereOf(filters) }),
  ...more,
})

/** Asks for a list to choose from: all of the time, because what is chosen may take the place of a filter. */
export const askChoices = (name: string, scope: Asking, more?: Omit<Ask, 'name'>): Ask =>
  askOf(name, { ...scope, filters: [] }, more)

/** The time that an answer is compared with. */
export const beforeOf = ({
  range: { before },
}: Pick<Asking, 'range'>): { before?: { from: string; until: string } } =>
  before ? { before: periodOf(before) } : {}

/** Tells what is asked from all else. */
export const keyOf = (ask: Ask | string | undefined): string | undefined => ask && JSON.stringify(ask)

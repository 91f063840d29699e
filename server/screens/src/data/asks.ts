import type { Scope } from '../shell/scope'
import type { Period } from '../shell/timeRange'
import type { Filter } from './filters'
import type { Json } from './query'

/** An answer that has a name, with what is said of it (docs/answers.md, "Asked by name"). */
export interface Ask {
  name: string
  [parameter: string]: Json | readonly Json[] | undefined
}

/** What most answers are about. */
export type Asking = Pick<Scope, 'environment' | 'bots' | 'range'> & { filters: readonly Filter[] }

const periodOf = ({ from, until }: Period) => ({ from: from.toISOString(), until: until.toISOString() })

/** Asks of what the header and the filters say. */
export const askOf = (
  name: string,
  { environment, bots, range, filters = [] }: Pick<Scope, 'environment' | 'bots' | 'range'> & Partial<Asking>,
  more: Omit<Ask, 'name'> = {},
): Ask => ({
  ...{ name, environment, bots, ...periodOf(range) },
  ...(filters.length > 0 && {
    where: filters.map(({ field, operator, values }) => ({ field, operator, values: [...values] })),
  }),
  ...more,
})

/** The time that an answer is compared with. */
export const beforeOf = ({
  range: { before },
}: Pick<Asking, 'range'>): { before?: { from: string; until: string } } =>
  before ? { before: periodOf(before) } : {}

/** Tells what is asked from all else. */
export const keyOf = (ask: Ask | string | undefined): string | undefined => ask && JSON.stringify(ask)

import { type Ask, type Asking, askOf } from '../../data/asks'
import type { Scope } from '../../address/scope'

export const units = [
  ['day', 'days'],
  ['week', 'weeks'],
  ['month', 'months'],
] as const

export type Unit = (typeof units)[number][0]

export interface RetentionQuestion {
  /** Empty for any event. */
  first: string
  /** Empty for any event. */
  again: string
  unit: Unit
  /** Includes people who did it before the time that is set. */
  everybody: boolean
}

export const readRetention = (search: URLSearchParams): RetentionQuestion => ({
  first: search.get('first') ?? '',
  again: search.get('again') ?? '',
  unit: units.find(([name]) => name === search.get('unit'))?.[0] ?? 'week',
  everybody: search.get('everybody') === '1',
})

/** The question as parameters of another page's address. */
export const pickQuestion = (search: URLSearchParams): Record<string, string[]> =>
  Object.fromEntries(['first', 'again', 'unit', 'everybody'].map((name) => [name, search.getAll(name)]))

/** A table of so many rows and columns can still be read. */
export const mostCohorts = 60
export const mostPeriods = 31

/** What is asked beside what all answers are asked. */
export const retentionAsked = (
  { first, again, unit, everybody }: RetentionQuestion,
  { anonymous }: Pick<Scope, 'anonymous'>,
) => ({
  ...(first && { first_event: first }),
  ...(again && { return_event: again }),
  ...{ unit, everybody, anonymous },
})

/** What answers the question. */
export const askRetention = (question: RetentionQuestion, scope: Asking & Pick<Scope, 'anonymous'>): Ask =>
  askOf('retention', scope, {
    ...retentionAsked(question, scope),
    ...{ cohorts: mostCohorts, periods: mostPeriods },
  })

import { type Ask, type Asking, askOf, whereOf } from '../../data/asks'
import { conditionParameter, type Filter, readConditions } from '../../data/filters'
import type { Scope } from '../../address/scope'

/** What the address of the funnel says. */
export interface FunnelQuestion {
  /** Names of events, and paths of pages. A row that is not filled yet is an empty text. */
  steps: string[]
  /** For each of them, what its events must be. */
  conditions: Filter[][]
  within: Within
  /** The property whose values are told apart. */
  by: string | undefined
  /** Whose list is shown. */
  people: PeopleChoice | undefined
}

export interface PeopleChoice {
  /** From 1. */
  step: number
  /** Reached this step, or reached it and none after. */
  kind: 'reached' | 'dropped'
}

/** With their hours: a day of a funnel has 24, also where clocks change. */
export const withins = [
  ['1h', '1 hour', 1],
  ['1d', '1 day', 24],
  ['7d', '7 days', 7 * 24],
  ['14d', '14 days', 14 * 24],
  ['30d', '30 days', 30 * 24],
  ['90d', '90 days', 90 * 24],
] as const

export type Within = (typeof withins)[number][0]

const usualWithin: Within = '7d'

/** Before anything is chosen: whoever saw a page. */
const usualStart = '$pageview'

/** As many as the macro takes. */
export const mostSteps = 10

function readPeople(text: string | null, count: number): PeopleChoice | undefined {
  const [, kind, number] = /^(reached|dropped)-(\d+)$/.exec(text ?? '') ?? []
  const step = Number(number)
  const last = kind === 'dropped' ? count - 1 : count
  return kind && step >= 1 && step <= last ? { step, kind: kind as PeopleChoice['kind'] } : undefined
}

export function readFunnel(search: URLSearchParams): FunnelQuestion {
  const asked = search.getAll('step').slice(0, mostSteps)
  const steps = asked.length === 0 ? [usualStart] : asked
  return {
    steps,
    conditions: readConditions(search, steps.length),
    within: withins.find(([name]) => name === search.get('within'))?.[0] ?? usualWithin,
    by: search.get('by') ?? undefined,
    people: readPeople(search.get('people'), steps.filter(Boolean).length),
  }
}

/** The question as parameters of another page's address. */
export const pickQuestion = (search: URLSearchParams): Record<string, string[]> =>
  Object.fromEntries(['step', conditionParameter, 'within', 'by'].map((name) => [name, search.getAll(name)]))

export const writePeople = ({ kind, step }: PeopleChoice): string => `${kind}-${step}`

export const writeWithin = (within: string): string | undefined =>
  within === usualWithin ? undefined : within

/** What a funnel is asked of. */
export type FunnelAsking = Asking &
  Pick<Scope, 'anonymous'> &
  Pick<FunnelQuestion, 'steps' | 'conditions' | 'within'>

/** What is asked of the steps, beside what all answers are asked. */
export const stepsAsked = (asking: FunnelAsking) => ({
  steps: asking.steps,
  ...(asking.conditions.some((each) => each.length > 0) && {
    step_where: asking.conditions.map(whereOf),
  }),
  within_hours: withins.find(([each]) => each === asking.within)?.[2] ?? 0,
  anonymous: asking.anonymous,
})

export const askFunnel = (name: string, asking: FunnelAsking, more: Omit<Ask, 'name'> = {}): Ask =>
  askOf(name, asking, { ...stepsAsked(asking), ...more })

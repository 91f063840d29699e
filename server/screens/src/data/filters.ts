import { fieldOf, findField, showValue, type Counted, valueOf } from './fields'

export const operators = [
  ['is', 'is'],
  ['not', 'is not'],
  ['contains', 'contains'],
  ['in', 'is one of'],
  ['out', 'is none of'],
  ['above', '>'],
  ['at_least', '≥'],
  ['below', '<'],
  ['at_most', '≤'],
  ['between', 'is between'],
  ['did', 'the person did'],
  ['did_not', 'the person did not do'],
] as const

export type Operator = (typeof operators)[number][0]

export const isDeed = ({ operator }: Pick<Filter, 'operator'>): boolean =>
  operator === 'did' || operator === 'did_not'

/** Those by which a field can be compared: an event also by who did it. */
export const operatorsOf = (field: string) =>
  operators.filter(([operator]) => field === 'event' || !isDeed({ operator }))

const joins = ['and', 'or', 'with'] as const
type Join = (typeof joins)[number]

export interface Filter {
  /** The name of a `Field`. */
  field: string
  operator: Operator
  /** One; some for `in` and `out`, two for `between`. An empty text is no value. */
  values: readonly string[]
  /** `or`: it may be met instead of the one before. `with`: it is of the event of that deed. By default `and`. */
  join?: Join
  /** How often a deed was done at least. */
  times?: number
  /** In how many of the last days. */
  days?: number
  /** In how many days behind this event instead; an empty text: behind the first that is known of the person. */
  after?: string
}

/**
 * A filter in the address is `path|is|/pricing`, with `|` and `%` written as `%7C` and `%25`. Before it may stand how it is
 * joined, `or|path|is|/pricing`; behind a deed how often and in how many days, also of which event, `event|did:3:30|Order
 * Placed` or `event|did::7:Signed Up|Order Placed`.
 */
const escape = (text: string) => text.replaceAll('%', '%25').replaceAll('|', '%7C')
const unescape = (text: string) => text.replaceAll('%7C', '|').replaceAll('%25', '%')

export const filterParameter = 'filter'

export const writeFilter = ({
  field,
  operator,
  values,
  join = 'and',
  times,
  days,
  after,
}: Filter): string => {
  const counts = [operator, times ?? '', days ?? ''].join(':')
  const often = after === undefined ? counts.replace(/:+$/, '') : `${counts}:${after}`
  return [...(join === 'and' ? [] : [join]), field, often, ...values].map(escape).join('|')
}

const readCount = (text: string | undefined) => {
  const count = Number(text)
  return Number.isInteger(count) && count > 0 && count <= 10_000 ? count : undefined
}

const readFilter = (text: string): Filter | undefined => {
  const parts = text.split('|').map(unescape)
  const join = joins.find((each) => each === parts[0])
  const [field = '', often = '', ...values] = join === undefined ? parts : parts.slice(1)
  const [name, repeated, recent, ...behind] = often.split(':')
  const operator = operators.find(([each]) => each === name)?.[0]
  if (!field || !operator || values.length === 0) return undefined
  const [times, days] = isDeed({ operator }) ? [repeated, recent].map(readCount) : []
  return {
    ...{ field, operator, values },
    ...(join && join !== 'and' && { join }),
    ...(times && { times }),
    ...(days && { days }),
    ...(days && behind.length > 0 && { after: behind.join(':') }),
  }
}

/** Filters without a join that has nothing before it. */
const settle = (filters: readonly Filter[]): Filter[] => {
  const settled: Filter[] = []
  for (const { join, ...filter } of filters) {
    const allowed = joinsOf(settled, filter)
    settled.push(join !== undefined && allowed.includes(join) ? { ...filter, join } : filter)
  }
  return settled
}

/** How a filter can be joined with those before it. */
export const joinsOf = (before: readonly Filter[], filter: Filter): readonly Join[] => {
  const head = before.findLast(({ join }) => join !== 'with')
  if (head === undefined) return ['and']
  const isOfEvent = !isDeed(filter) && ['events', 'both'].includes(fieldOf(filter.field).of)
  return isDeed(head) && isOfEvent ? joins : ['and', 'or']
}

/** Filters as they are written one by one; what is no filter is left out. */
const readTexts = (texts: readonly string[]): Filter[] =>
  settle(texts.flatMap((text) => readFilter(text) ?? []))

/** What the address filters by. */
export const readFilters = (search: URLSearchParams): Filter[] => readTexts(search.getAll(filterParameter))

/** A condition in the address is a filter behind the number of its step, `2|prop.total|above|50`. */
export const conditionParameter = 'when'
/** For each of so many steps, what its events must be. */
export const readConditions = (search: URLSearchParams, count: number): Filter[][] =>
  Array.from({ length: count }, (_, at) => {
    const start = `${at + 1}|`
    const texts = search.getAll(conditionParameter).filter((text) => text.startsWith(start))
    return readTexts(texts.map((text) => text.slice(start.length)))
  })
export const writeConditions = (conditions: readonly (readonly Filter[])[]): string[] =>
  conditions.flatMap((filters, at) => filters.map((each) => `${at + 1}|${writeFilter(each)}`))

const signs: Record<string, Operator> = {
  '=': 'is',
  '!=': 'not',
  '~': 'contains',
  '>': 'above',
  '>=': 'at_least',
  '<': 'below',
  '<=': 'at_most',
}

/** What is typed in one go: `plan=pro`, `plan != pro`, `page ~ maps` or `total >= 20`. */
export function parseFilter(
  text: string,
  among: Counted = 'events',
): { name: string; filter: Filter } | undefined {
  const [, name = '', sign = '', value = ''] = /^([^=!~<>]+)(!=|>=|<=|=|~|>|<)(.*)$/.exec(text) ?? []
  const operator = signs[sign]
  if (!name.trim() || !operator) return undefined
  const field = findField(name, among)
  return { name: name.trim(), filter: toFilter(field.name, operator, [value.trim()], among) }
}

/** A filter for values as they are typed. Among people, an event is what they did. */
export const toFilter = (
  field: string,
  operator: Operator,
  values: readonly string[],
  among: Counted = 'events',
): Filter => {
  const deed = operator === 'is' ? 'did' : operator === 'not' ? 'did_not' : operator
  const isOfPeople = among === 'people' && field === 'event'
  return {
    field,
    operator: isOfPeople ? deed : operator,
    values: values.map((value) => valueOf(fieldOf(field), value)),
  }
}

/** `filters` with one more. A field is one thing at a time, so `is` takes the place of another `is`. */
export function addFilter(filters: readonly Filter[], added: Filter): Filter[] {
  const stays = (each: Filter) =>
    writeFilter(each) !== writeFilter(added) &&
    !(each.field === added.field && each.operator === 'is' && added.operator === 'is' && !each.join)
  return settle([...filters.filter(stays), added])
}

/** `filters` with another in the place of one, or without it. */
export const changeFilter = (filters: readonly Filter[], one: Filter, other?: Filter): Filter[] =>
  settle(filters.flatMap((each) => (writeFilter(each) === writeFilter(one) ? (other ?? []) : each)))

/** What an empty text is called behind which something was done. */
export const firstSeen = 'being first seen'

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** More values are counted. */
const mostNamed = 4

/** `Browser is Firefox`, or `did Order Placed at least 3 times in the last 30 days`. */
export function describeFilter({ field, operator, values, times, days, after }: Filter): string {
  const known = fieldOf(field)
  const all = values.map((value) => showValue(known, value || null))
  const shown =
    all.length > mostNamed ? [...all.slice(0, mostNamed - 1), `${all.length - mostNamed + 1} more`] : all
  if (operator === 'between') return `${known.title} is between ${shown.join(' and ')}`
  if (!isDeed({ operator })) {
    const verb = operators.find(([name]) => name === operator)?.[1] ?? ''
    return `${known.title} ${verb} ${shown.join(', ')}`
  }
  const deed = values.map((value) => value || 'anything').join(' or ')
  return [
    `${operator === 'did' ? 'did' : 'did not do'} ${deed}`,
    times !== undefined && times > 1 && `at least ${counted(times, 'time')}`,
    days !== undefined &&
      (after === undefined
        ? `in the last ${counted(days, 'day')}`
        : `within ${counted(days, 'day')} of ${after || firstSeen}`),
  ]
    .filter(Boolean)
    .join(' ')
}

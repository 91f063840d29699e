import { type Counted, fieldOf, findField, showValue } from './fields'

export const operators = [
  ['is', 'is'],
  ['not', 'is not'],
  ['contains', 'contains'],
  ['in', 'is one of'],
  ['out', 'is none of'],
] as const

export type Operator = (typeof operators)[number][0]

/** What an event is compared by where people are counted. */
const deeds: Record<Operator, string> = {
  is: 'did',
  not: 'did not do',
  contains: 'did what contains',
  in: 'did one of',
  out: 'did none of',
}

/** How an operator is called, for a field of what is counted. */
export const nameOperator = (operator: Operator, field: string, counted: Counted): string =>
  counted === 'people' && field === 'event'
    ? deeds[operator]
    : (operators.find(([name]) => name === operator)?.[1] ?? '')

export interface Filter {
  /** The name of a `Field`. */
  field: string
  operator: Operator
  /** One; some for `in` and `out`. An empty text is no value. */
  values: readonly string[]
}

/** A filter in the address is `path|is|/pricing`, with `|` and `%` written as `%7C` and `%25`. */
const escape = (text: string) => text.replaceAll('%', '%25').replaceAll('|', '%7C')
const unescape = (text: string) => text.replaceAll('%7C', '|').replaceAll('%25', '%')

export const filterParameter = 'filter'

export const writeFilter = ({ field, operator, values }: Filter): string =>
  [field, operator, ...values].map(escape).join('|')

/** What the address filters by; what is no filter is left out. */
export const readFilters = (search: URLSearchParams): Filter[] =>
  search.getAll(filterParameter).flatMap((text) => {
    const [field = '', name, ...values] = text.split('|').map(unescape)
    const operator = operators.find(([each]) => each === name)?.[0]
    return field && operator && values.length > 0 ? [{ field, operator, values }] : []
  })

const signs: Record<string, Operator> = { '=': 'is', '!=': 'not', '~': 'contains' }

/** A filter that is typed in one go: `plan=pro`, `plan != pro` or `path ~ maps`. */
export function parseFilter(text: string, among: Counted = 'events'): Filter | undefined {
  const [, name = '', sign = '', value = ''] = /^([^=!~]+)(!=|=|~)(.*)$/.exec(text) ?? []
  const operator = signs[sign]
  if (!name.trim() || !operator) return undefined
  return { field: findField(name, among).name, operator, values: [value.trim()] }
}

/** `filters` with one more. A field is one thing at a time, so `is` takes the place of another `is`. */
export function addFilter(filters: readonly Filter[], added: Filter): Filter[] {
  const stays = (each: Filter) =>
    writeFilter(each) !== writeFilter(added) &&
    !(each.field === added.field && each.operator === 'is' && added.operator === 'is')
  return [...filters.filter(stays), added]
}

/** `Browser is Firefox`; of people also `did Order Placed`. */
export function describeFilter({ field, operator, values }: Filter, counted: Counted = 'events'): string {
  const known = fieldOf(field)
  const verb = nameOperator(operator, field, counted)
  const isDeed = counted === 'people' && field === 'event'
  return `${isDeed ? '' : `${known.title} `}${verb} ${values.map((value) => showValue(known, value || null)).join(', ')}`
}

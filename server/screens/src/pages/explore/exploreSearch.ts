import { type Ask, type Asking, askOf, beforeOf } from '../../data/asks'
import { type Field, fieldOf, propertyField, propertyOf } from '../../data/fields'
import { readComparison, type TimeRange, type Unit } from '../../address/timeRange'
import { formatMean, formatMoney } from '../../parts/format'
import { bases, type Measure, readMeasure } from './measures'

/** More lines cannot be told apart. */
export const mostLines = 6
export const mostValues = 50

const intervals = [
  ['total', 'In all'],
  ['hour', 'By hour'],
  ['day', 'By day'],
  ['week', 'By week'],
  ['month', 'By month'],
  ['weekday', 'By weekday'],
  ['hour_of_day', 'By hour of the day'],
] as const

/** What a figure over time has a place for: times or, of a week or a day, what comes again. */
export type Interval = Exclude<(typeof intervals)[number][0], 'total'>
export const comesAgain = (interval: Interval): interval is Exclude<Interval, Unit> =>
  interval === 'weekday' || interval === 'hour_of_day'

/** More hours are neither read in a table nor drawn apart. The day on which clocks change may have one more. */
const mostHours = 31 * 24 + 1

/** The intervals that a figure of a time can be told by, with their titles. */
export const intervalsOf = ({ from, until }: TimeRange, { isOfDays }: Measure) =>
  intervals.filter(([name]) =>
    isOfDays
      ? name === 'total' || name === 'day'
      : name !== 'hour' || until.getTime() - from.getTime() <= mostHours * 3_600_000,
  )

export const titleOf = (interval: Interval): string =>
  intervals.find(([name]) => name === interval)?.[1] ?? ''

export const shapes = [
  ['line', 'Line'],
  ['bars', 'Bars'],
] as const

type Shape = (typeof shapes)[number][0]

/** What the address of the page asks. */
export interface Question {
  measure: Measure
  /** The property that a sum, average, median or percentile is of. */
  property: string | undefined
  /** What the amounts are in, such as EUR. */
  currency: string | undefined
  /** The property that names the currency of each. */
  currencyProperty: string | undefined
  /** The name of an event or the path of a page view; empty for any event. */
  event: string
  /** What the figure is divided by, and the event of that; empty for any. */
  per: (typeof bases)[number] | undefined
  perEvent: string
  by: Field | undefined
  /** `undefined`: in all. */
  interval: Interval | undefined
  shape: Shape
  /** Values with the highest figure first; else those with most events or sessions. */
  isHighestFirst: boolean
  /** Whether all values that are not shown are told together. */
  hasRest: boolean
  /** Whether another time is shown, too. */
  isCompared: boolean
}

/** Sessions are told apart by what they are; of what their events say, by properties alone. Traits tell nothing apart. */
export const canTellApart = (measure: Measure, { name, of }: Field): boolean =>
  of !== 'people' && (measure.of === 'events' || of !== 'events' || propertyOf(name) !== undefined)

const currencyForm = /^[A-Z]{3}$/

/** `in` is a currency, a property, or both: `EUR`, `prop.currency`, `EUR|prop.currency`. */
const readCurrency = (text: string | null) => {
  const parts = text?.split('|') ?? []
  return {
    currency: parts.find((each) => currencyForm.test(each)),
    currencyProperty: parts.map((each) => propertyOf(each)).find(Boolean),
  }
}
export const writeCurrency = ({ currency, currencyProperty }: ReturnType<typeof readCurrency>) =>
  [currency, currencyProperty && propertyField(currencyProperty).name].filter(Boolean).join('|') || undefined

export function readQuestion(search: URLSearchParams, range: TimeRange): Question {
  const measure = readMeasure(search)
  const { needsProperty = false, isOfDays = false } = measure
  const { currency, currencyProperty } = readCurrency(needsProperty ? search.get('in') : null)
  const isApart = currencyProperty !== undefined && currency === undefined
  const asked = search.get('by') ?? (isApart ? propertyField(currencyProperty).name : null)
  const field = asked ? fieldOf(asked) : undefined
  const by = field && canTellApart(measure, field) ? field : undefined
  const over =
    intervalsOf(range, measure).find(([name]) => name === search.get('over'))?.[0] ??
    (by ? 'total' : isOfDays ? 'day' : range.unit)
  const interval = over === 'total' ? undefined : over
  const isOfEvents = measure.of === 'events'
  // What is in several currencies is told apart, and is no one figure that could be divided.
  const per = isOfEvents && !isOfDays && !isApart ? search.get('per') : null
  return {
    measure,
    property: needsProperty ? (search.get('property') ?? undefined) : undefined,
    currency,
    currencyProperty,
    event: isOfEvents ? (search.get('event') ?? '') : '',
    per: bases.find(([name]) => name === per),
    perEvent: per ? (search.get('per_event') ?? '') : '',
    by,
    interval,
    shape: shapes.find(([name]) => name === search.get('as'))?.[0] ?? 'line',
    isHighestFirst: search.get('order') === 'highest',
    hasRest: by !== undefined && !isOfDays && search.get('rest') === '1',
    isCompared:
      search.has('vs') && readComparison(search) !== 'none' && (by === undefined || interval === undefined),
  }
}

/** What answers a question; `undefined` while its property is not chosen. */
export const askExplore = (asking: Asking & { anonymous?: boolean }, question: Question): Ask | undefined => {
  const { measure, property, currency, currencyProperty, event, per, by, interval } = question
  if (measure.needsProperty && property === undefined) return undefined
  // Without a field of its own, currencies are what rows are told apart by.
  const isApart = currencyProperty !== undefined && currency === undefined
  const field = isApart && by?.name === propertyField(currencyProperty).name ? undefined : by?.name
  return askOf('explore', asking, {
    measure: measure.name,
    property,
    currency,
    currency_property: currencyProperty,
    event: event || undefined,
    per: per?.[0],
    per_event: question.perEvent || undefined,
    by: field,
    interval,
    highest_first: question.isHighestFirst,
    most: mostValues,
    ...(question.hasRest && { rest: true }),
    ...(question.isCompared && beforeOf(asking)),
    ...(measure.isOfDays && asking.anonymous && { anonymous: true }),
  })
}

/** A figure as it is read: of amounts with their currency. */
export const formatFigure = (
  { measure, per, currency }: Question,
  figure: number,
  named = currency,
): string =>
  measure.needsProperty && named
    ? formatMoney(figure, named)
    : per
      ? formatMean(figure)
      : measure.format(figure)

/** `Sum of total of Order Placed for each person, by Country, by day`. */
export function describeQuestion(question: Question): string {
  const { measure, property, event, per, perEvent, by, interval } = question
  const parts = [
    measure.title,
    property === undefined ? '' : `of ${property}`,
    event ? `of ${event}` : '',
    per ? `for each ${per[1]}` : '',
    perEvent ? `of ${perEvent}` : '',
    by ? `by ${by.title}` : '',
  ].filter(Boolean)
  return `${parts.join(' ')}${interval ? `${by ? ',' : ''} ${titleOf(interval).toLowerCase()}` : ''}`
}

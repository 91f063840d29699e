import { type Ask, type Asking, askOf } from '../../data/asks'
import { type Field, fieldOf, propertyOf } from '../../data/fields'
import type { TimeRange, Unit } from '../../address/timeRange'
import { type Measure, readMeasure } from './measures'

/** More lines cannot be told apart. */
export const mostLines = 6
export const mostValues = 50

const intervals = [
  ['total', 'In all'],
  ['hour', 'By hour'],
  ['day', 'By day'],
  ['week', 'By week'],
  ['month', 'By month'],
] as const

/** More hours are neither read in a table nor drawn apart. The day on which clocks change may have one more. */
const mostHours = 31 * 24 + 1

/** The intervals that a time can be told by, with their titles. */
export const intervalsOf = ({ from, until }: TimeRange) =>
  intervals.filter(([name]) => name !== 'hour' || until.getTime() - from.getTime() <= mostHours * 3_600_000)

export const titleOf = (interval: Unit): string => intervals.find(([name]) => name === interval)?.[1] ?? ''

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
  /** The name of an event or the path of a page view; empty for any event. */
  event: string
  by: Field | undefined
  /** `undefined`: in all. */
  interval: Unit | undefined
  shape: Shape
  /** Values with the highest figure first; else those with most events or sessions. */
  isHighestFirst: boolean
}

/** Sessions are told apart by what they are; of what their events say, by properties alone. Traits tell nothing apart. */
export const canTellApart = (measure: Measure, { name, of }: Field): boolean =>
  of !== 'people' && (measure.of === 'events' || of !== 'events' || propertyOf(name) !== undefined)

export function readQuestion(search: URLSearchParams, range: TimeRange): Question {
  const measure = readMeasure(search)
  const asked = search.get('by')
  const field = asked ? fieldOf(asked) : undefined
  const by = field && canTellApart(measure, field) ? field : undefined
  const over =
    intervalsOf(range).find(([name]) => name === search.get('over'))?.[0] ?? (by ? 'total' : range.unit)
  return {
    measure,
    property: measure.needsProperty ? (search.get('property') ?? undefined) : undefined,
    event: measure.of === 'events' ? (search.get('event') ?? '') : '',
    by,
    interval: over === 'total' ? undefined : over,
    shape: shapes.find(([name]) => name === search.get('as'))?.[0] ?? 'line',
    isHighestFirst: search.get('order') === 'highest',
  }
}

/** What answers a question; `undefined` while its property is not chosen. */
export const askExplore = (asking: Asking, question: Question): Ask | undefined => {
  const { measure, property, event, by, interval, isHighestFirst } = question
  if (measure.needsProperty && property === undefined) return undefined
  return askOf('explore', asking, {
    measure: measure.name,
    ...{ property, event: event || undefined, by: by?.name, interval },
    ...{ highest_first: isHighestFirst, most: mostValues },
  })
}

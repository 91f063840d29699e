import { type Question, titleOf } from './exploreSearch'

/** `Events of Order Placed by Person, by day`. */
export function describeQuestion({ measure, property, event, by, interval }: Question): string {
  const parts = [
    measure.title,
    property === undefined ? '' : `of ${property}`,
    event ? `of ${event}` : '',
    by ? `by ${by.title}` : '',
  ].filter(Boolean)
  return `${parts.join(' ')}${interval ? `${by ? ',' : ''} ${titleOf(interval).toLowerCase()}` : ''}`
}

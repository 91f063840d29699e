import { builtInProperties, type Field, fields, fieldOf, propertyOf } from '../data/fields'
import { readConditions, readFilters } from '../data/filters'

/** The parameters of a page that a guest may change although the link shows one address: they choose among its figures. */
export const freeParameters: Readonly<Record<string, readonly string[]>> = {
  '/app/': ['metric', 'more', 'by_pages', 'by_sources', 'by_events', 'by_devices', 'by_places'],
  '/app/explore': ['as', 'order', 'rest'],
  '/app/funnel': [],
  '/app/retention': [],
  '/app/paths': [],
  '/app/vitals': ['vital'],
  '/app/errors': ['by'],
}

/** Guests see one board, by a link to it. */
export const boardsPath = '/app/boards'

/** The parameters of the time, which every guest may change. */
export const timeParameters = ['range', 'from', 'until', 'each', 'vs', 'vs_from', 'weekdays'] as const

/** Columns whose values stand for one person, browser or visit. */
const personal = new Set(['person_id', 'session_id', 'device_id', 'click_id'])
export const guestFields: readonly Field[] = fields.filter(({ name }) => !personal.has(name))
const isGuestField = (name: string) => guestFields.some((each) => each.name === name)

/** As many as a funnel has. */
const mostSteps = 10

/** The names of all fields by which an address filters or tells apart. */
function namesIn(path: string, search: URLSearchParams): string[] {
  const by = path === '/app/explore' ? search.get('by') : null
  const ofSteps = path === '/app/funnel' ? readConditions(search, mostSteps).flat() : []
  return [...readFilters(search), ...ofSteps].map(({ field }) => field).concat(by ? [by] : [])
}

/**
 * Why guests may not see an address; undefined when they may. Who makes a link chooses the properties that one page
 * shows. Where guests choose, there are none, because a property may hold anything about a person.
 */
export function findRefusal(
  { path, search }: { path: string; search: string },
  isOfGuest: boolean,
): string | undefined {
  const address = new URLSearchParams(search)
  if (!Object.hasOwn(freeParameters, path)) return 'Guests may not see this page.'
  for (const name of namesIn(path, address)) {
    if (!isGuestField(name) && (isOfGuest || propertyOf(name) === undefined))
      return `Guests may not ask for ${fieldOf(name).title}.`
  }
  if (!isOfGuest) return undefined
  const property = path === '/app/explore' ? address.get('property') : null
  const by = path === '/app/funnel' ? address.get('by') : null
  if (property || (by !== null && !builtInProperties.includes(by)))
    return 'Guests may not ask for a property.'
  return undefined
}

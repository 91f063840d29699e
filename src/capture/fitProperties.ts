import { brief, flat, isObject, toJson } from '../toJson'
import type { Complain } from '../signals'
import type { Properties } from '../types'

/** Event, property and trait names: 400 characters at most (contract, "Limits"), counted in code points. */
const maxNameLength = 400

export const isTooLong = (name: string) => name.length > maxNameLength && [...name].length > maxNameLength

/**
 * A name with a `$` that the service does not know, by which it refuses the whole event. Told by the beginning: the
 * list is short then, and has to be right only about what it leaves out.
 */
const isUnknown = /^\$(?!app|device|ip|lib|os|refere|rel|screen|u|view)/

/**
 * Copies `given`, with every value made fit for JSON; a frozen copy holds nothing of the caller's that could change.
 * What is named wrongly is said, and left out; `tooLong` may refuse the whole.
 */
export function fitProperties(
  given: unknown,
  noun: 'property' | 'trait',
  isFrozen: boolean,
  complain: Complain,
  tooLong: (errorCode: string, name: string) => void,
): Properties {
  const own: Properties = {}
  if (!isObject(given)) {
    if (given !== undefined) complain('invalid-properties', brief(given))
    return own
  }
  for (const name of Object.keys(given)) {
    if (isTooLong(name)) tooLong(`${noun}-name-too-long`, name)
    else if (noun === 'property' && isUnknown.test(name)) complain('unknown-built-in-property', name)
    else {
      try {
        let value = given[name]
        if (typeof value === 'object') value = flat(value)
        if (isFrozen) {
          // Undefined for a function, or where nothing was given: the name stays, so that `registerOnce` finds it.
          const json = toJson(value)
          value = json && JSON.parse(json)
        }
        own[name] = value
      } catch {
        own[name] = '[unreadable]'
      }
    }
  }
  return own
}

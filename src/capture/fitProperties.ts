import { flat } from '../toJson'
import type { Properties } from '../types'

/** Event, property and trait names: 400 characters at most (contract, "Limits"), counted in code points. */
const maxNameLength = 400

export const isTooLong = (name: string) => name.length > maxNameLength && [...name].length > maxNameLength

/**
 * Copies `given` into `target`, with every value made fit for JSON. Returns the first name that is too long.
 */
export function fitProperties(target: Properties, given: Properties): string | undefined {
  for (const name of Object.keys(given)) {
    if (isTooLong(name)) return name
    let value
    try {
      value = given[name]
    } catch {
      value = '[unreadable]'
    }
    target[name] = typeof value === 'object' ? flat(value) : value
  }
  return undefined
}

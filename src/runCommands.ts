import type { Command } from './browser/readTag'
import type { Waymark } from './types'

/**
 * Runs the calls that a page collected in an array, and returns the instance with a `push` of its own, so that code
 * written for the array goes on working.
 */
export function runCommands(
  waymark: Waymark,
  commands: Command[],
): Waymark & { push(...commands: Command[]): number } {
  const push = (...list: Command[]) => {
    for (const [name, ...args] of list) {
      const method = waymark[name as keyof Waymark]
      if (typeof method === 'function') (method as (...args: unknown[]) => unknown)(...args)
    }
    return 0
  }
  push(...commands)
  return Object.defineProperties(waymark, { push: { value: push } }) as ReturnType<typeof runCommands>
}

import type { Browser } from '../core/browser'
import type { Command, Waymark } from '../core/types'

/**
 * Runs the calls that a page collected in an array, each as if it were made when and where it says, and returns the
 * instance with a `push` of its own, so that code written for the array goes on working.
 */
export function runCommands(
  waymark: Waymark,
  commands: Command[],
  browser: Pick<Browser, 'now' | 'page'>,
): Waymark & { push(...commands: Command[]): number } {
  const now = browser.now
  const page = browser.page

  const push = (...list: Command[]) => {
    for (const command of list) {
      try {
        const [name, ...args] = command
        const { calledAt, url, referrer = '' } = command
        if (calledAt && url) {
          browser.now = () => calledAt
          browser.page = () => ({ ...page(), url, referrer })
        }
        ;(waymark[name as keyof Waymark] as (...args: unknown[]) => unknown)(...args)
      } catch {
        // It is no command: the next one may be.
      }
      browser.now = now
      browser.page = page
    }
    return 0
  }
  push(...commands)
  return Object.assign(waymark, { push })
}

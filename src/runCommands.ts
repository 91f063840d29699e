import type { Browser } from './browser/browser'
import type { Command } from './browser/readTag'
import type { Waymark } from './types'

/**
 * Runs the calls that a page collected in an array, each as if it were made when and where it says, and returns the
 * instance with a `push` of its own, so that code written for the array goes on working.
 */
export function runCommands(
  waymark: Waymark,
  commands: Command[],
  browser: Pick<Browser, 'now' | 'page'>,
): Waymark & { push(...commands: Command[]): number } {
  const { now, page } = browser

  const push = (...list: Command[]) => {
    for (const command of list) {
      const [name, ...args] = command
      const method = waymark[name as keyof Waymark]
      if (typeof method !== 'function') continue
      const { calledAt, url, referrer = '' } = command
      if (calledAt && url) {
        browser.now = () => calledAt
        browser.page = () => ({ ...page.call(browser), url, referrer })
      }
      ;(method as (...args: unknown[]) => unknown)(...args)
      browser.now = now
      browser.page = page
    }
    return 0
  }
  push(...commands)
  return Object.assign(waymark, { push })
}

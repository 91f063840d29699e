import type { Browser } from './browser/browser'
import type { Settings } from './identity/createSettings'

/** What tabs of one queue say to each other: who is there, I am, this has changed. */
export type TabMessage = { ask: true } | { here: string } | { change: Settings }

/** The channel of all tabs, open while the page is there: opening it takes a while, and `init` must not. */
export function createTabs(browser: Browser, name: string, hear: (message: TabMessage) => void) {
  let channel: ReturnType<Browser['channel']>
  return {
    tell: (message: TabMessage) => channel?.postMessage(message),
    /** A message that reaches a page in Chromium's page cache throws it out of there: hear none. */
    leave() {
      channel?.close()
      channel = undefined
    },
    enter() {
      channel ??= browser.channel(name, hear)
    },
  }
}

import type { Browser } from './browser/browser'
import type { Stop } from './types'

/** What happens to a page, as an instance sees it. */
interface Life {
  /** It goes, or may not come back. */
  leave(): void
  /** After `leave`, the last chance; before it, a tab was switched. */
  hide(): void
  /** It is back from the page cache, or from being frozen. */
  enter(): void
  /** The network is there again. */
  online(): void
}

/** Follows a page through its life. No `unload` or `beforeunload`: they cost the page cache. */
export function followPage(browser: Browser, { leave, hide, enter, online }: Life): Stop {
  const stops = [
    browser.on('pagehide', leave),
    browser.on('freeze', leave),
    browser.on('hidden', hide),
    browser.on('pageshow', enter),
    browser.on('resume', enter),
    browser.on('online', online),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

import type { Browser, Page } from '../browser/browser'
import { createBrowser } from '../browser/createBrowser'

/**
 * The door to the platform in a worker: no page that could be hidden or go, no cookies. Where there is no IndexedDB
 * either (a server), it says that it is nothing to work in.
 */
export function createWorkerBrowser({ url = '', referrer = '', viewport = '' }: Partial<Page>): Browser {
  const browser = createBrowser()
  return {
    ...browser,
    isPage: typeof indexedDB !== 'undefined',
    page: () => ({ url, referrer, viewport }),
    hidden: () => false,
    on: ({ online = () => {} }) =>
      typeof addEventListener === 'undefined' ? () => {} : browser.on({ online }),
    readCookie: () => '',
    writeCookie() {},
  }
}

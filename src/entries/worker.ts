import { createBrowser, type Browser } from '../core/browser'
import type { EventMap, Waymark } from '../core/types'
import { createWaymarkIn } from '../core/waymark'

export type * from '../core/types'

/** What an event of a worker says about a page; a worker has none of its own. */
export interface WorkerPage {
  /** Sent as `$url`. @defaultValue none */
  url?: string
  /** Sent as `$referer`. @defaultValue none */
  referrer?: string
  /** Sent as `$viewport`, for example `1280x720`. @defaultValue none */
  viewport?: string
}

const pageNames = ['$url', '$referer', '$viewport']

/**
 * Makes an instance for a service worker, a worker or an extension's background: the same queue, the same ids as the
 * pages of the same origin, the same delivery. Nothing hears when a worker is ended: let it wait for `flush()`.
 *
 * @example
 * const waymark = createWaymark().init('pk_1', { endpoint: 'https://api.example.com' })
 * addEventListener('push', (event) => {
 *   waymark.track('Push Received')
 *   event.waitUntil(waymark.flush())
 * })
 */
export function createWaymark<Events extends object = EventMap>(page: WorkerPage = {}): Waymark<Events> {
  const waymark = createWaymarkIn(createWorkerBrowser(page))
  waymark.use({
    name: 'worker',
    beforeSend(draft) {
      for (const name of pageNames) if (draft.properties?.[name] === '') delete draft.properties[name]
      return draft
    },
  })
  return waymark
}

/**
 * The door to the platform in a worker: no page that could be hidden or go, no cookies. Where there is no IndexedDB
 * either (a server), it says that it is nothing to work in.
 */
function createWorkerBrowser({ url = '', referrer = '', viewport = '' }: WorkerPage): Browser {
  const browser = createBrowser()
  return {
    ...browser,
    isPage: typeof indexedDB !== 'undefined',
    page: () => ({ url, referrer, viewport }),
    hidden: () => false,
    on: ({ online = () => {}, offline = () => {} }) =>
      typeof addEventListener === 'undefined' ? () => {} : browser.on({ online, offline }),
    hasWorker: () => false,
  }
}

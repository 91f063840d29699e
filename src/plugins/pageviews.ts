import type { Host, Plugin, Stop } from '../core/types'
import { followHistory } from './followHistory'
import { listen } from './listen'
import { whenShown } from './whenShown'

export interface PageviewOptions {
  /** Count `replaceState`, too. @defaultValue `false` */
  replace?: boolean
  /** Count a change of the query, too. @defaultValue `false` */
  query?: boolean
}

/** Where an instance has seen its visitor last. It outlives the plugin, which a framework may start twice. */
interface Seen {
  url?: string
  place?: string
  /** Undefined for the first view, whose referrer the browser knows. */
  properties?: { $referer: string | undefined }
}
const places = new WeakMap<Host, Seen>()

/**
 * Records `$pageview` when the page is shown, when its path changes, and when it is back from the page cache.
 *
 * @example
 * waymark.init('pk_1', { endpoint: 'https://api.example.com', plugins: [pageviews()] })
 */
export function pageviews({ replace, query }: PageviewOptions = {}): Plugin {
  return {
    name: 'pageviews',
    start(host) {
      const seen = places.get(host) ?? {}
      places.set(host, seen)
      const view = () => host.page(seen.properties)

      const arrive = (isReplace: boolean) => {
        const { href, pathname, search, hash } = location
        // A router may keep its path in the fragment.
        const place = pathname + (query ? search : '') + (/^#!?\//.test(hash) ? hash : '')
        const { url, place: before } = seen
        seen.url = href
        seen.place = place
        if (place === before || (isReplace && !replace)) return
        if (url) seen.properties = { $referer: host.cleanUrl(url) || undefined }
        view()
      }

      const stops: Stop[] = []
      const unshown = whenShown(() => {
        arrive(false)
        stops.push(
          followHistory(arrive),
          listen(window, 'pageshow', (event: PageTransitionEvent) => event.persisted && view()),
        )
      })
      stops.push(unshown)
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

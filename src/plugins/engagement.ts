import type { Plugin } from '../core/types'
import { followHistory } from './followHistory'
import { listen } from './listen'

export interface EngagementOptions {
  /**
   * While the page is used, what has gathered is recorded after this many milliseconds: a page that is killed without
   * a word has lost no more. @defaultValue `30000`
   */
  everyMs?: number
}

/** Less than this is no engagement: a tab that was only passed. */
const leastMs = 100

/**
 * Records `Page Engaged` with the milliseconds that the page was visible since the last one (`visible_ms`: add them
 * up), and how far down it was seen (`scroll_percent`): when the page is hidden, when its path changes, and meanwhile
 * while it is used. No timer runs.
 */
export function engagement({ everyMs = 30_000 }: EngagementOptions = {}): Plugin {
  return {
    name: 'engagement',
    start({ track, cleanUrl }) {
      let url = location.href
      let path = location.pathname
      let lowest = 0
      let gatheredMs = 0
      let since: number | undefined

      const see = () => {
        lowest = Math.max(lowest, scrollY)
      }
      /** Ends one stretch of being visible, and begins the next if the page still is. */
      const gather = () => {
        const now = performance.now()
        if (since !== undefined) gatheredMs += now - since
        since = document.visibilityState === 'visible' ? now : undefined
      }
      const report = () => {
        gather()
        if (gatheredMs < leastMs) return
        const { scrollHeight } = document.documentElement
        const seen = scrollHeight ? Math.min(1, (lowest + innerHeight) / scrollHeight) : 1
        track('Page Engaged', {
          $url: cleanUrl(url),
          visible_ms: Math.round(gatheredMs),
          scroll_percent: Math.round(100 * seen),
        })
        gatheredMs = 0
      }
      const used = () => {
        see()
        if (since !== undefined && performance.now() - since + gatheredMs >= everyMs) report()
      }
      const moved = () => {
        if (location.pathname !== path) {
          report()
          path = location.pathname
          lowest = 0
        }
        url = location.href
      }

      // A prerendered page is hidden until it is shown.
      gather()
      const stops = [
        followHistory(moved),
        listen(document, 'visibilitychange', () => (since === undefined ? gather() : report())),
        // Comes before hidden when the page goes. What lies in the page cache is not visible.
        listen(window, 'pagehide', () => {
          report()
          since = undefined
        }),
        listen(window, 'pageshow', gather),
        ...['scroll', 'click', 'keydown'].map((type) => listen(document, type, used)),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

import type { Stop } from '../core/types'
import { listen } from './listen'

/** Runs `fn` when the page is shown: now, or when a prerendered page is activated, which may be never. */
export function whenShown(fn: () => void): Stop {
  if ((document as { prerendering?: boolean }).prerendering) {
    const stop = listen(document, 'prerenderingchange', () => {
      stop()
      fn()
    })
    return stop
  }
  fn()
  return () => {}
}

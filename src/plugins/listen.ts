import type { Stop } from '../core/types'

/** Hears events before the page's own listeners can stop them. Nothing that `fn` does reaches the page as an error. */
export function listen(target: EventTarget, type: string, fn: (event: never) => void): Stop {
  const heard = (event: Event) => {
    try {
      fn(event as never)
    } catch {}
  }
  const options = { capture: true, passive: true }
  target.addEventListener(type, heard, options)
  return () => target.removeEventListener(type, heard, options)
}

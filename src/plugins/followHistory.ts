import type { Stop } from '../core/types'
import { listen } from './listen'

type Heard = (isReplace: boolean) => void
type Change = History['pushState'] & { heard?: Set<Heard> }

/** Calls `fn` after every change of the page's URL that loads no new page. */
export function followHistory(fn: Heard): Stop {
  const { navigation } = window as { navigation?: EventTarget }
  if (navigation)
    return listen(navigation, 'currententrychange', (event: Event & { navigationType?: string }) =>
      fn(event.navigationType === 'replace'),
    )

  // WebKit has no Navigation API. The wrapper stays: others may have wrapped it meanwhile; it is told to nobody then.
  const heard = (history.pushState as Change).heard ?? wrapHistory()
  const quietly: Heard = (isReplace) => {
    try {
      fn(isReplace)
    } catch {}
  }
  heard.add(quietly)
  const stops = ['popstate', 'hashchange'].map((type) => listen(window, type, () => fn(false)))
  return () => {
    heard.delete(quietly)
    for (const stop of stops) stop()
  }
}

/** Wraps both ways to change the URL, once for all that ask. */
function wrapHistory(): Set<Heard> {
  const heard = new Set<Heard>()
  for (const name of ['pushState', 'replaceState'] as const) {
    const before = history[name]
    const change: Change = function (this: History, ...args) {
      before.apply(this, args)
      for (const fn of heard) fn(name !== 'pushState')
    }
    change.heard = heard
    try {
      history[name] = change
    } catch {
      // Someone has frozen it: back and forward are still heard.
    }
  }
  return heard
}

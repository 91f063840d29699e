import type { Instance, News } from './instance'
import { emit } from './signals'

/** What this page hears other tabs by; undefined while it must not. */
export type Tabs = Pick<BroadcastChannel, 'postMessage' | 'close'> | undefined

export const openTabs = (w: Instance) => {
  w.tabs ??= w.browser.channel(w.name, (message) => emit(w, 'tab', message))
}

export const tellTabs = (w: Instance, message: News['tab']) => w.tabs?.postMessage(message)

/** A message that reaches a page in Chromium's page cache throws it out of there: hear none. */
export const closeTabs = (w: Instance) => {
  w.tabs?.close()
  w.tabs = undefined
}

import type { Instance, News } from './instance'
import { emit } from './signals'

export const openTabs = (w: Instance) => {
  w.tabs ??= w.browser.channel(w.storeName, (message) => emit(w, 'tab', message))
}

export const tellTabs = (w: Instance, message: News['tab']) => w.tabs?.postMessage(message)

/** Hears no tab any more: a message that reaches a page in Chromium's page cache throws it out of there. */
export const closeTabs = (w: Instance) => {
  w.tabs?.close()
  w.tabs = undefined
}

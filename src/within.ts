import type { Browser } from './browser/browser'

/** Resolves when the work is done or has failed, and after `ms` at the latest; `onLate` hears of both of these. */
export const within = (browser: Browser, ms: number, work: Promise<unknown>, onLate = () => {}) =>
  new Promise<void>((resolve) => {
    const late = () => {
      onLate()
      resolve()
    }
    const stop = browser.after(ms, late)
    work.then(() => resolve(), late).finally(stop)
  })

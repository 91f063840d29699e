import type { Browser } from '../browser/browser'
import type { Emit } from '../signals'
import type { Config, Consent } from '../types'
import type { Shared } from './createSettings'

/** What holds until the visitor has chosen. */
export const assumedConsent = (browser: Browser, { consent, respectGpc, respectDnt }: Config): Consent =>
  (respectGpc && browser.refuses('gpc')) || (respectDnt && browser.refuses('dnt')) ? 'denied' : consent

/** Decides whether calls are kept, held in memory or dropped. A choice outlives the page, and holds in every tab. */
export function createConsent(
  settings: Shared,
  initial: Consent,
  /** Whether there may be a stored choice; nothing is opened to find out. */
  isStored: () => Promise<boolean>,
  emit: Emit,
  /** Reads what is stored, and makes what is missing. Never rejects. */
  load: () => Promise<void>,
  /** Lets what was called run. */
  open: () => void,
  /** Lets calls wait in memory. */
  stop: () => void,
  /** Lets go of all that is not in the settings. */
  wipe: () => void,
) {
  let state = initial
  let turn = 0

  const apply = async (next: Consent, isChoice: boolean): Promise<void> => {
    const mine = ++turn
    if (next !== state) emit('consent', { state: next })
    state = next
    if (next === 'granted') {
      await load()
      // Something else was chosen meanwhile.
      if (mine !== turn) return
      const chosen = settings.values.consent
      if (chosen !== next) {
        if (isChoice) settings.set({ consent: next })
        else if (chosen) return apply(chosen, false)
      }
      return open()
    }
    stop()
    if (next === 'denied') {
      wipe()
      settings.wipe(isChoice)
    } else if (isChoice) settings.set({ consent: undefined })
    settings.hold()
  }

  return {
    state: () => state,

    /** At the start of the page: what was chosen before, else what is assumed. */
    async begin() {
      if (turn) return
      if (state === 'granted') return apply(state, false)
      if (!(await isStored()) || turn) return
      await settings.load().catch(() => {})
      // A choice of this moment counts more than one of before.
      if (turn) return
      settings.hold()
      const chosen = settings.values.consent
      if (chosen) await apply(chosen, false)
    },

    choose: (next: Consent | 'dismissed') =>
      apply(next === 'granted' || next === 'denied' ? next : 'pending', true),

    /** Another tab has chosen, or the page was away and everything may have changed. */
    hear: (next = state) => apply(next, false),
  }
}

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
  /** Reads what is stored, and makes what is missing, unless that is a refusal and this no choice. Never rejects. */
  load: (isChoice: boolean) => Promise<void>,
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
    const before = state
    state = next
    if (next !== before) emit('consent', { state: next })
    // Something else was chosen meanwhile: here by a listener.
    if (mine !== turn) return
    if (next === 'granted') {
      await load(isChoice)
      if (mine !== turn) return
      const { consent } = settings.values
      // Told after the read: another tab that is still forgetting everything must have done so before.
      if (isChoice) settings.set({ consent: next })
      else if (consent && consent !== next) return apply(consent, false)
      return open()
    }
    stop()
    if (isChoice) settings.set({ consent: next === 'denied' ? next : undefined })
    if (next === 'denied') {
      wipe()
      settings.wipe(settings.values.consent === next)
    }
    settings.hold()
  }

  /** What was chosen before or in another tab, else what is assumed. */
  const look = async () => {
    const mine = turn
    try {
      if (state !== 'granted' && (await isStored()) && mine === turn) await settings.load()
    } catch {}
    // A choice of this moment counts more than one of before.
    if (mine === turn) await apply(settings.values.consent ?? state, false)
  }

  return {
    state: () => state,
    /** Whether calls are refused; before the first look they wait, because the visitor may have chosen before. */
    refuses: () => turn > 0 && state === 'denied',

    /** At the start of the page. */
    begin: () => (turn ? undefined : look()),

    /** The page was away, and everything may have changed. */
    look,

    choose: (next: Consent | 'dismissed') =>
      apply(next === 'granted' || next === 'denied' ? next : 'pending', true),

    /** Another tab has chosen. */
    hear: (next: Consent = 'pending') => apply(next, false),
  }
}

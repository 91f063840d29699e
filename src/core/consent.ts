import { load, save, suspect, wipe } from './disk'
import {
  canWriteSettings,
  isAnonymous,
  isAway,
  mayRun,
  mayWrite,
  type Instance,
  type Settings,
} from './instance'
import { isInSession } from './session'
import { emit } from './signals'
import { openTabs } from './tabs'
import type { Consent } from './types'
import { applyChange, assume, mergeStored, readNote, set, touch } from './visitor'

/** A page waits no longer for its database until it goes on in memory. */
const giveUpAfterMs = 30_000

/** A refusal that was noted beside the database is looked up when the database has not answered by then. */
const slowAfterMs = 1000

/** Whether a page that cannot wait for its database must take the visitor for one who has refused. */
export const hasNotedRefusal = (w: Instance) => readNote(w).consent === 'denied'

/** Whether calls are refused. Before the first read they wait, because the visitor may have chosen before. */
export const isDenied = (w: Instance) => w.decisions && w.consent === 'denied' && !isAnonymous(w)

/** Calls run from now on. */
export const letRun = (w: Instance) => {
  w.visitorState |= mayRun
}

/** Calls wait until the visitor was read anew: the session is over, or the page is back. */
export const holdCalls = (w: Instance) => {
  w.visitorState &= mayWrite
}

/** Returns false when a listener chose otherwise meanwhile. */
const become = (w: Instance, next: Consent): boolean => {
  const { decisions, consent } = w
  w.consent = next
  if (next !== consent) emit(w, 'consent', { state: next })
  return decisions === w.decisions
}

/** Reads what is stored, and lets calls run when the visitor agrees. `isChoice` counts more than what is stored. */
export const readVisitor = (w: Instance, isChoice?: boolean) => void (w.reading = read(w, isChoice))

const read = async (w: Instance, isChoice?: boolean) => {
  const { decisions } = w
  let noted = ''
  /** `stored` is missing where there is no database; or where it failed, so that there may be something in it. */
  const use = (stored?: Settings, isAssumed?: boolean) => {
    stop()
    if (decisions !== w.decisions) return
    if (stored) w.visitorState |= mayWrite
    const note = readNote(w)
    noted = w.browser.readNote(w.storeName)
    const before = { ...stored, ...note }.consent
    const next = (!isChoice && before) || w.consent
    if (next !== 'granted') {
      applyChange(w, { consent: before })
      return decide(w, next, false)
    }
    if (!become(w, next)) return
    mergeStored(w, stored ?? {}, note, isAssumed)
    emit(w, 'open')
    // The next event need not wait for a transaction: what it tracks is on its way to the disk in its own task.
    if (!isInSession(w, w.browser.now())) touch(w, w.browser.now())
  }
  let stop = w.browser.after(slowAfterMs, () => {
    if (decisions !== w.decisions || w.consent !== 'granted') return
    if (hasNotedRefusal(w)) return use()
    // Memory has to do until the database answers.
    suspect(w)
    w.onReady()
    stop = w.browser.after(giveUpAfterMs, () => {
      if (decisions !== w.decisions) return
      suspect(w)
      assume(w)
      emit(w, 'open')
    })
  })
  w.recent = w.changes
  try {
    const mayBeStored = w.consent === 'granted' || readNote(w).consent === 'granted'
    if (w.database && (mayBeStored || (await w.browser.hasDatabase(w.storeName)))) await load(w, use)
    else use()
    // The note is in the database now, unless more was noted meanwhile.
    if (noted && decisions === w.decisions && noted === w.browser.readNote(w.storeName))
      w.browser.writeNote(w.storeName, '')
    // A choice is stored after the read: another tab that is still forgetting everything must have done so before.
    if (isChoice && decisions === w.decisions) set(w, { ...w.settings, consent: w.consent })
  } catch (error) {
    // A page that goes ends what reads. In any other page memory has to do.
    if (isAway(w)) return
    suspect(w)
    use(undefined, !canWriteSettings(w) && /^(U|Ab|Q|Ti)/.test((error as Error).name))
  }
}

/** Carries out what the visitor has chosen: here, in another tab, or on an earlier page. */
export const decide = (w: Instance, next: Consent, isChoice: boolean) => {
  w.decisions++
  if (!become(w, next)) return
  if (isChoice && next !== 'granted') set(w, { consent: next === 'pending' ? undefined : next })
  // What an earlier page stored is read before it is wiped, so that no database is made to be empty.
  if (next === 'granted' || (isChoice && next === 'anonymous')) return readVisitor(w, isChoice)
  if (next === 'pending') save(w)
  else wipe(w)
  w.visitorState = 0
  emit(w, 'closed')
}

export const choose = (w: Instance, state: Consent | 'dismissed') => {
  const choice = /^(gr|de|an)/.test(state) ? (state as Consent) : 'pending'
  // The page may go before its database has taken the choice. A consent is added to what an earlier page has noted.
  const noted = { ...(choice === 'granted' && readNote(w)), consent: choice }
  if (w.database) w.browser.writeNote(w.storeName, /^[gd]/.test(choice) ? JSON.stringify(noted) : '')
  // A choice at `init`, or on the return of a page, comes before the page's own read, and replaces it.
  if (!isAway(w)) openTabs(w)
  decide(w, choice, true)
}

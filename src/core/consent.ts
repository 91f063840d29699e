import { forget, load, save, suspect, wipe, wipeIn } from './disk'
import {
  canWriteSettings,
  isAnonymous,
  isAway,
  mayRun,
  mayWrite,
  visitorStates,
  type Instance,
} from './instance'
import type { Settings } from './settings'
import { isInSession } from './session'
import { emit } from './signals'
import { openTabs, tellTabs } from './tabs'
import type { Consent } from './types'
import { assume, mergeStored, readNote, touch } from './visitor'

/** A page waits no longer for its database until it goes on in memory. */
const giveUpAfterMs = 30_000

/** A refusal that was noted beside the database is looked up when the database has not answered by then. */
const slowAfterMs = 1000

/** Errors of a database that may work later; with any other there is none for this page. */
const mayPass = /^(Unknown|Abort|QuotaExceeded|Timeout)Error$/

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

/**
 * Takes a consent in memory, at once. Under another one than before nothing is known of the visitor: what is called waits
 * until it was read, or is refused. Returns false when a listener chose otherwise meanwhile.
 */
const take = (w: Instance, next: Consent): boolean => {
  const { decisions, consent } = w
  // What was tracked until now is still stored.
  if (next === 'pending') save(w)
  w.consent = next
  if (next !== consent) {
    w.visitorState = visitorStates.unread
    emit(w, 'consent', { state: next })
  }
  if (decisions === w.decisions && next !== 'granted') {
    if (next !== 'pending') forget(w)
    emit(w, 'closed')
  }
  return decisions === w.decisions
}

/** Reads what is stored, and lets calls run when the visitor agrees. */
export const readVisitor = (w: Instance) => void (w.reading = read(w))

/** `isChoice`: what was chosen just now counts more than what is stored, and is stored. */
const read = async (w: Instance, isChoice?: boolean) => {
  const { decisions } = w
  let noted = ''
  /** `stored` is missing where there is no database; or where it failed, so that there may be something in it. */
  const use = (stored?: Settings, store?: IDBObjectStore, isAssumed?: boolean) => {
    stop()
    if (decisions !== w.decisions) return
    const note = readNote(w)
    const before = { ...stored, ...note }.consent
    const next = (!isChoice && before) || w.consent
    if (next !== 'granted') {
      // In this very transaction: what another tab stores after a consent comes before it, and is seen, or after it.
      if (next !== 'pending') wipeIn(store, !isChoice && before === next)
      else if (isChoice) store?.delete('consent')
      if (isChoice) return
      w.decisions++
      return void take(w, next)
    }
    if (!take(w, next)) return
    if (stored) w.visitorState |= mayWrite
    noted = w.browser.readNote(w.storeName)
    mergeStored(w, stored ?? {}, isChoice ? { ...note, consent: next } : note, isAssumed)
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
  } catch (error) {
    // A page that goes ends what reads. In any other page memory has to do.
    if (isAway(w)) return
    suspect(w)
    use(undefined, undefined, !canWriteSettings(w) && mayPass.test((error as Error).name))
  }
}

/**
 * Carries out what the visitor has chosen on this page: in memory at once, then in one transaction. The other tabs are
 * told when that is done, and read it: whoever has chosen in two at once, the later transaction counts in all. They are
 * told at once, too, of all but a consent, so that they stop.
 */
export const choose = (w: Instance, state: Consent | 'dismissed') => {
  const chosen = /^(granted|denied|anonymous)$/.test(state) ? (state as Consent) : 'pending'
  // The page may go before its database has taken the choice. A consent is added to what an earlier page has noted.
  const noted = { ...(chosen === 'granted' && readNote(w)), consent: chosen }
  if (w.database) w.browser.writeNote(w.storeName, /granted|denied/.test(chosen) ? JSON.stringify(noted) : '')
  // A choice at `init`, or on the return of a page, comes before the page's own read, and replaces it.
  if (!isAway(w)) openTabs(w)
  if (chosen !== 'granted') tellTabs(w, { chosen })
  w.decisions++
  // A page that goes begins no read, and has noted a consent.
  if (!take(w, chosen) || (isAway(w) && chosen === 'granted')) return
  // A refusal does not wait for a read: a page that goes ends that.
  const stored = chosen === 'denied' ? wipe(w) : read(w, true)
  w.reading = stored.then(() => tellTabs(w, { chosen, done: true }))
}

/** Carries out what was chosen in another tab. */
export const hear = (w: Instance, chosen: Consent, done?: true) => {
  w.decisions++
  if (take(w, chosen) && done) readVisitor(w)
}

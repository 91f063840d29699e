import { load, save, suspect, wipe } from './disk'
import { isAway, type Instance } from './instance'
import { emit } from './signals'
import { isInSession } from './session'
import { openTabs } from './tabs'
import type { Consent } from './types'
import { assume, hear, readNote, set, take, touch, type Settings } from './visitor'

/** A page waits no longer for its database until it goes on in memory. */
const giveUpAfterMs = 30_000

/** A refusal that was noted beside the database is looked for when that has not answered by then. */
const slowAfterMs = 1000

/** Whether a page that cannot wait for its database must take the visitor for one who has refused. */
export const isRefused = (w: Instance) => readNote(w).consent === 'denied'

/** Whether calls are refused; before the first look they wait, because the visitor may have chosen before. */
export const refuses = (w: Instance) => w.turn > 0 && w.consent === 'denied'

/** False when a listener chooses otherwise. */
const become = (w: Instance, next: Consent): boolean => {
  const { turn, consent } = w
  w.consent = next
  if (next !== consent) emit(w, 'consent', { state: next })
  return turn === w.turn
}

/** Reads what is stored, and lets calls run when the visitor agrees. `isChoice` counts more than what is stored. */
export const look = (w: Instance, isChoice?: boolean) => void (w.looking = read(w, isChoice))

const read = async (w: Instance, isChoice?: boolean) => {
  const { turn } = w
  let noted = ''
  /** `stored` is missing where there is no database; or where it failed, so that there may be something in it. */
  const use = (stored?: Settings, isAssumed?: boolean) => {
    stop()
    if (turn !== w.turn) return
    if (stored) w.isWritable = true
    const note = readNote(w)
    noted = w.browser.readNote(w.name)
    const before = { ...stored, ...note }.consent
    const next = (!isChoice && before) || w.consent
    if (next !== 'granted') {
      hear(w, { consent: before })
      return decide(w, next, false)
    }
    if (!become(w, next)) return
    take(w, stored ?? {}, note, isAssumed)
    emit(w, 'open')
    // The next event need not wait for a transaction: what it tracks is on its way to the disk in its own task.
    if (!isInSession(w, w.browser.now())) touch(w, w.browser.now())
  }
  let stop = w.browser.after(slowAfterMs, () => {
    if (turn !== w.turn || w.consent !== 'granted') return
    if (isRefused(w)) return use()
    // Memory has to do, until it answers.
    suspect(w)
    w.onReady()
    stop = w.browser.after(giveUpAfterMs, () => {
      if (turn !== w.turn) return
      suspect(w)
      assume(w)
      emit(w, 'open')
    })
  })
  w.recent = w.changes
  try {
    const mayBeStored = w.consent === 'granted' || readNote(w).consent === 'granted'
    if (w.database && (mayBeStored || (await w.browser.hasDatabase(w.name)))) await load(w, use)
    else use()
    // It is stored now, unless someone has noted more.
    if (noted && turn === w.turn && noted === w.browser.readNote(w.name)) w.browser.writeNote(w.name, '')
    // After the read: another tab that is still forgetting everything must have done so before.
    if (isChoice && turn === w.turn) set(w, { ...w.settings, consent: w.consent })
  } catch (error) {
    // A page that goes ends what reads. Else memory has to do.
    if (isAway(w)) return
    suspect(w)
    use(undefined, !w.isWritable && /^(U|Ab|Q|Ti)/.test((error as Error).name))
  }
}

/** The visitor has chosen: here, in another tab, or on an earlier page. */
export const decide = (w: Instance, next: Consent, isChoice: boolean) => {
  w.turn++
  if (!become(w, next)) return
  if (next === 'granted') return look(w, isChoice)
  if (isChoice) set(w, { consent: next === 'denied' ? next : undefined })
  if (next === 'denied') wipe(w)
  else save(w)
  w.isWritable = false
  emit(w, 'closed')
}

export const choose = (w: Instance, state: Consent | 'dismissed') => {
  const choice = state === 'granted' || state === 'denied' ? state : 'pending'
  // The page may go before its database has taken it. A consent is added to what the page before has noted.
  const noted = { ...(choice === 'granted' && readNote(w)), consent: choice }
  if (w.database) w.browser.writeNote(w.name, choice === 'pending' ? '' : JSON.stringify(noted))
  // A choice at `init`, or on the return of a page, is before the page's own look, and in its place.
  if (!isAway(w)) openTabs(w)
  decide(w, choice, true)
}

import { hearProbe } from './claim'
import { decide, isRefused, look, refuses } from './consent'
import { adoptOthers, enter, flush, hide, leave, setDown, wake } from './delivery'
import { save, works } from './disk'
import { newId } from './ids'
import { isAway, type Instance } from './instance'
import { dropAll, dropHalf, giveUp } from './queue'
import { complain, emit, on } from './signals'
import { closeTabs, openTabs } from './tabs'
import { assume, hear, note, readIds } from './visitor'

/**
 * A page that is back leaves the database alone for a moment: a transaction that waits for the last deletes of the
 * page just left throws that one out of Chromium's page cache, and its deletes with it.
 */
const openAfterReturnMs = 300

/** What was called until now gets the ids that are known. */
const runCalls = (w: Instance) => {
  w.isKnown = true
  if (!w.isAssumed) emit(w, 'identity', readIds(w))
  // Each stays until it has run: an unload handler that is cut short in the midst of it leaves it to the next.
  for (; w.waiting[0]; w.waiting.shift()) w.waiting[0].run()
}

/** The instance ends. */
export const shut = (w: Instance) => {
  w.state = 'shut'
  w.unfollow?.()
}

/** Follows what becomes of the page, and of the visitor's mind. Returns what ends that. */
export const follow = (w: Instance) => {
  const { browser } = w

  on(w, 'save', () => {
    save(w)
    // There was no database: there may be one by now.
    if (w.isKnown && !w.isWritable && works(w)) look(w)
  })
  on(w, 'full', () => dropHalf(w))
  on(w, 'tab', (message) => {
    const { change } = message
    hearProbe(w, message)
    if (!change) return
    hear(w, change)
    if ('consent' in change) decide(w, change.consent ?? 'pending', false)
  })
  on(w, 'open', () => {
    if (!isAway(w)) w.state = 'open'
    runCalls(w)
    if (isAway(w)) return
    wake(w)
    void adoptOthers(w)
    w.onReady()
  })
  on(w, 'closed', () => {
    if (!isAway(w)) w.state = 'starting'
    w.isKnown = false
    if (refuses(w)) dropAll(w, 'no-consent')
  })

  const goes = () => {
    // First of all: Firefox can cut this handler short at any call, and the next one must know that the page has left.
    w.state = 'leaving'
    try {
      goNow()
    } catch (error) {
      complain(w, 'internal', error)
    }
    w.state = 'away'
  }
  const goNow = () => {
    // Calls of a page that goes before the visitor was known: better under fresh ids than not at all.
    // A page that knows its visitor asks no storage here: what it hands off must be on its way at once.
    if (w.isKnown || (w.consent === 'granted' && !isRefused(w))) {
      assume(w)
      runCalls(w)
    }
    w.database?.abortReads()
    leave(w)
    note(w)
    save(w)
    w.stopScan()
    closeTabs(w)
  }
  const comes = () => {
    if (w.state !== 'away') return
    w.state = 'back'
    w.isKnown = false
    // Of a look from before, Chromium may tell only now that it was ended.
    w.turn++
    // What it may not have stored it has noted when it left. What others stored since then is newer.
    if (w.isWritable) w.changes = {}
    // A new queue, because another page may have found the old one.
    giveUp(w, newId(10))
    enter(w)
    browser.after(openAfterReturnMs, () => w.state === 'back' && begin())
  }
  /** The channel first: what another tab changes after the read is heard. */
  const begin = () => {
    openTabs(w)
    look(w)
  }

  // In the next microtask: opening a database takes a millisecond that `init` need not.
  browser.soon(() => w.turn || begin())

  // No `unload` or `beforeunload`: they cost the page cache.
  return browser.on({
    pagehide: goes,
    freeze: goes,
    visibilitychange() {
      if (!browser.hidden()) return
      // After `pagehide`, the last chance; before it, a tab was switched.
      if (isAway(w)) goes()
      else hide(w)
    },
    pageshow: comes,
    resume: comes,
    offline: () => setDown(w),
    online() {
      if (!w.isKnown) return
      void flush(w)
      void adoptOthers(w)
    },
  })
}

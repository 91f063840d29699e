import { hearProbe } from './claim'
import { hasNotedRefusal, hear, holdCalls, isDenied, letRun, readVisitor } from './consent'
import { adoptOthers, enter, flush, hide, leave, setDown, wake } from './delivery'
import { save } from './disk'
import { defer } from './handOff'
import { newId } from './ids'
import { canWriteSettings, isAnonymous, isAway, runsCalls, type Instance } from './instance'
import { callAgain, dropAll, dropHalf, dropIds, giveUp } from './queue'
import { complain, emit, on } from './signals'
import { closeTabs, openTabs } from './tabs'
import { applyChange, assume, note, readIds } from './visitor'

/**
 * A page that is back leaves the database alone for a moment: a transaction that waits for the last deletes of the
 * page just left throws that one out of Chromium's page cache, and its deletes with it.
 */
const openAfterReturnMs = 300

/** Runs what was called until now, with the ids that are known. */
const runCalls = (w: Instance) => {
  letRun(w)
  if (!w.unmerged && !isAnonymous(w)) emit(w, 'identity', readIds(w))
  // Each stays until it has run, or its payload is queued: an unload handler that is cut short in the midst of it leaves
  // it to the next.
  for (let held; (held = w.heldCalls[0]); held === w.heldCalls[0] && w.heldCalls.shift()) held.run()
}

/** Ends the instance. */
export const shut = (w: Instance) => {
  w.pageState = 'shut'
  w.unfollow?.()
}

/** Follows what becomes of the page, and of the visitor's mind. Returns what ends that. */
export const follow = (w: Instance) => {
  on(w, 'works', () => readVisitor(w))
  on(w, 'full', () => dropHalf(w))
  on(w, 'changed', () => defer(w))
  on(w, 'tab', (message) => {
    const { change, chosen, done } = message
    hearProbe(w, message)
    if (change) applyChange(w, change)
    if (chosen) hear(w, chosen, done)
  })
  on(w, 'open', () => {
    if (!isAway(w)) w.pageState = 'open'
    if (w.config.anonymous.join) callAgain(w)
    runCalls(w)
    if (isAway(w)) return
    wake(w)
    void adoptOthers(w)
    w.onReady()
  })
  on(w, 'closed', () => {
    const hidden = isAnonymous(w)
    if (!isAway(w)) w.pageState = hidden ? 'open' : 'starting'
    if (isDenied(w)) dropAll(w, 'no-consent')
    if (!hidden) return
    dropIds(w)
    runCalls(w)
    if (!isAway(w)) void flush(w)
  })

  const goes = () => {
    // The state comes first: Firefox can cut this handler short at any call, and the next must know that the page has left.
    w.pageState = 'leaving'
    try {
      goNow()
    } catch (error) {
      complain(w, 'internal', error)
    }
    w.pageState = 'away'
  }
  const goNow = () => {
    // Calls of a page that goes before the visitor is known are better sent under fresh ids than not at all.
    // A page that knows its visitor asks no storage here: what it hands off must be on its way at once.
    if (runsCalls(w) || (w.consent === 'granted' && !hasNotedRefusal(w))) {
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
    if (w.pageState !== 'away') return
    w.pageState = 'back'
    holdCalls(w)
    // Chromium may tell only now that a read from before was ended.
    w.decisions++
    // The page noted when it left what it may not have stored. What others have stored since then is newer.
    if (canWriteSettings(w)) w.changes = {}
    // The page takes a new queue, because another page may have found the old one.
    giveUp(w, w.queueId)
    enter(w)
    w.browser.after(openAfterReturnMs, () => {
      if (w.pageState !== 'back') return
      // What was on its way to the disk when the page left is there by now, or has failed.
      giveUp(w, newId(10))
      begin()
    })
  }
  /** Opens the channel first, so that what another tab changes after the read is heard. */
  const begin = () => {
    openTabs(w)
    readVisitor(w)
  }

  // The read waits for the next microtask: opening a database takes a millisecond that `init` need not.
  w.browser.soon(() => {
    if (!w.decisions) begin()
  })

  // `unload` and `beforeunload` are not heard: they cost the page cache.
  return w.browser.on({
    pagehide: goes,
    freeze: goes,
    visibilitychange() {
      if (!w.browser.hidden()) return w.stopDeferred()
      // After `pagehide` this is the last chance; before it, a tab was switched.
      if (isAway(w)) goes()
      else hide(w)
    },
    pageshow: comes,
    resume: comes,
    offline: () => setDown(w),
    online() {
      if (!runsCalls(w)) return
      void flush(w)
      void adoptOthers(w)
    },
  })
}

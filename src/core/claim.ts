import { works } from './disk'
import { isAway, type Instance } from './instance'
import type { RecordKey } from './records'
import { adopt, claimableAfterMs, readKeys } from './queue'
import { clockSlackMs } from './session'
import { countDrops } from './signals'
import { tellTabs } from './tabs'

/** A live page answers a probe in a few milliseconds, a background tab too: a message is an event. */
const answerWithinMs = 700

/** Records moved in one claim: no long task, and far from the queue's limits. */
const claimAtOnce = 100

/** Another page is there, or asks who is. */
export const hearProbe = (w: Instance, { ask, here }: { ask?: true; here?: string }) => {
  if (here) w.alive.push(here)
  if (ask) tellTabs(w, { here: w.queueId })
}

const readOthers = async (w: Instance) =>
  ((await readKeys(w)) ?? []).filter(([id]) => id !== w.queueId && !w.alive.includes(id))

/**
 * Looks for queues whose page does not answer. There is no leader and no lock: a page that lives answers the liveness
 * probe, and a readwrite transaction decides between two that claim. `again` is called when some were too young to tell.
 */
export const scan = async (w: Instance, again: () => void) => {
  const { attempts } = w
  w.scannedAt = w.browser.now()
  if (w.isScanning || isAway(w) || !works(w)) return
  w.isScanning = true
  w.stopScan()
  w.alive = []
  if ((await readOthers(w))[0]) {
    tellTabs(w, { ask: true })
    await new Promise<void>((resolve) => w.browser.after(answerWithinMs, resolve))
    // The page left meanwhile, and is back: it looks anew.
    if (attempts !== w.attempts) return
    const keys = await readOthers(w)
    // They come in order: the last of a queue is its newest.
    const newest = Object.fromEntries(keys as unknown as [string, number][])
    w.abandoned = keys
      .filter(([id]) => {
        // A queue of the future is one of a clock that was set back since then: nobody knows how old it is.
        const ageMs = w.browser.now() - newest[id]! / 1000
        return ageMs >= claimableAfterMs || ageMs <= -clockSlackMs
      })
      .sort((a, b) => a[1] - b[1])
    if (w.abandoned.length < keys.length) w.stopScan = w.browser.after(claimableAfterMs, again)
  }
  w.isScanning = false
}

/** Claims the next records, the oldest first. Resolves to whether there were any. */
export const claim = async (w: Instance): Promise<boolean> => {
  if (isAway(w) || !w.abandoned[0]) return false
  const { attempts, queueId } = w
  w.isMixed = true
  const moved: [RecordKey, string][] = []
  // Records beyond the limit are deleted unread: there can be many where nothing was ever delivered.
  const gone = w.abandoned.splice(0, w.abandoned.length - w.config.queue.maxEvents)
  for (const key of gone) countDrops(w, 'too-many', key[2])
  const keys = w.abandoned.splice(0, claimAtOnce)
  await w.database!.transact('readwrite', (store, commit) => {
    for (const key of gone) store.delete(key)
    for (const key of keys) {
      const found = store.get(key)
      found.onsuccess = () => {
        // A record that is gone was claimed by another page first.
        if (found.result) {
          const next = [queueId, ...key.slice(1)] as RecordKey
          store.delete(key)
          store.put(found.result, next)
          moved.push([next, found.result])
        }
        if (key === keys.at(-1)) commit()
      }
    }
  })
  // This page left while it claimed: the records are in the queue that it gave up, for the next one.
  if (isAway(w) || attempts !== w.attempts) return false
  adopt(w, moved)
  return !!moved[0] || claim(w)
}

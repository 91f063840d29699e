import { works } from './disk'
import { isAway, type Instance } from './instance'
import { adopt, claimableAfterMs, excess, readKeys, type RowKey } from './queue'
import { range } from './disk'
import { countDrops } from './signals'
import { tellTabs } from './tabs'

/** A live page answers a probe in a few milliseconds, a background tab too: a message is an event. */
const answerWithinMs = 700

/** Records moved in one claim: a second of work at most, and far from the queue's limits. */
const claimAtOnce = 100

/** A clock that was set back makes a queue look young until then: a day is enough to wait for it. */
const dayMs = 86_400_000

/** Another page is there, or asks who is. */
export const hearProbe = (w: Instance, { ask, here }: { ask?: true; here?: string }) => {
  if (here) w.alive.add(here)
  if (ask && !isAway(w)) tellTabs(w, { here: w.queueId })
}

const readOthers = async (w: Instance) =>
  ((await readKeys(w)) ?? []).filter(([id]) => id !== w.queueId && !w.alive.has(id))

/**
 * Looks for queues whose page does not answer, and claims the first records. There is no leader and no lock: a page
 * that lives answers the liveness probe, and a readwrite transaction decides between two that claim. Resolves to
 * whether there were any; `again` is called when some were too young to tell.
 */
export const scan = async (w: Instance, again: () => void): Promise<boolean> => {
  w.scannedAt = w.browser.now()
  if (w.isScanning || isAway(w) || !works(w)) return false
  w.isScanning = true
  w.stopScan()
  w.alive.clear()
  if ((await readOthers(w))[0]) {
    tellTabs(w, { ask: true })
    await new Promise<void>((resolve) => w.browser.after(answerWithinMs, resolve))
    const isYoung = await sort(w, await readOthers(w))
    if (isYoung) w.stopScan = w.browser.after(claimableAfterMs, again)
  }
  w.isScanning = false
  return claim(w)
}

/** Tells abandoned queues from those that are too young to be sure of, and drops what is over the limits. Resolves to whether there are young ones. */
const sort = async (w: Instance, keys: RowKey[]) => {
  const now = w.browser.now()
  // Keys come in order: the last of a queue is its newest.
  const newest = new Map(keys.map(([id, sequence]) => [id, now - sequence / 1000]))
  const young = [...newest].filter(([, ageMs]) => ageMs < claimableAfterMs && ageMs > -dayMs)
  for (const [id] of young) newest.delete(id)

  const left = keys.filter(([id]) => newest.has(id)).sort((a, b) => a[1] - b[1])
  w.abandoned = [...new Set(left.map(([id]) => id))]
  const total = { queued: 0, bytes: 0 }
  for (const key of left) {
    total.queued += key[2]
    total.bytes += key[3]
  }
  const gone: RowKey[] = []
  for (const key of left) {
    const reason = excess(w, key, total)
    if (!reason) break
    gone.push(key)
    total.queued -= key[2]
    total.bytes -= key[3]
    countDrops(w, reason, key[2])
  }
  if (gone[0]) await w.database!.transact('put', (store) => gone.forEach((key) => store.delete(key)))
  return young[0]
}

/**
 * Claims the next records, of the queue with the oldest first. The transaction is the mutual exclusion: of two pages
 * that claim the same queue, the second finds nothing. Resolves to whether there were any.
 */
export const claim = async (w: Instance): Promise<boolean> => {
  for (let from; (from = w.abandoned[0]) && !isAway(w); w.abandoned.shift()) {
    const id = w.queueId
    const moved: [RowKey, string][] = []
    await w.database!.transact('readwrite', (store, commit) => {
      const records = range([from], [from, []])
      const keys = store.getAllKeys(records, claimAtOnce)
      const values = store.getAll(records, claimAtOnce)
      values.onsuccess = () => {
        for (const key of keys.result as RowKey[]) {
          const next = [id, ...key.slice(1)] as RowKey
          store.delete(key)
          store.put(values.result[moved.length], next)
          moved.push([next, values.result[moved.length]])
        }
        commit()
      }
    })
    // This page left while it claimed: the records are in the queue that it gave up, for the next one.
    if (isAway(w) || w.queueId !== id) break
    if (!moved[0]) continue
    adopt(w, moved)
    return true
  }
  return false
}

import type { Browser } from '../browser/browser'
import type { Config } from '../types'
import type { Records } from './createRecords'
import type { Tally } from './createTally'
import { findOverflow } from './findOverflow'
import { sum, type RowKey, type StoredRow } from './row'

/** A lane whose newest record is younger than this is not claimed: its page may just be busy. */
export const claimableAfterMs = 5000

/** A live page answers a ping in a few milliseconds, a background tab too: a message is an event. */
const answerWithinMs = 700

/** Records moved in one claim: a second of work at most, and far from the queue's limits. */
const claimAtOnce = 100

/** A page that has sent everything looks for what others left, but not more often than this. */
const scanEveryMs = 60_000

/** A clock that was set back makes a lane look young until then: a day is enough to wait for it. */
const dayMs = 86_400_000

/**
 * Finds the lanes of pages that are gone, and claims their records. There is no leader and no lock: who lives answers,
 * and a readwrite transaction decides between two who claim.
 */
export function createLanes(
  browser: Browser,
  records: Records,
  limits: Config['queue'],
  tally: Tally,
  /** Tells all other pages of this queue. */
  tell: (message: { ask: true } | { here: string }) => void,
  /** This page's lane; empty while it has none. */
  mine: () => string,
  adopt: (claimed: [RowKey, StoredRow][]) => void,
) {
  let alive = new Set<string>()
  let orphans: string[] = []
  let isScanning = false
  let scannedAt = 0
  let again = () => {}

  const others = async () => (await records.keys()).filter(([lane]) => lane !== mine() && !alive.has(lane))

  /** Looks for lanes whose page does not answer, and claims the first records. Never rejects. */
  const scan = async () => {
    scannedAt = browser.now()
    if (isScanning || !mine()) return
    isScanning = true
    again()
    alive = new Set()
    try {
      if ((await others()).length) {
        tell({ ask: true })
        await new Promise<void>((resolve) => browser.after(answerWithinMs, resolve))
        await sort(await others())
        await claim()
      }
    } catch {}
    isScanning = false
  }

  /** Tells the orphans from the lanes that are too young to be sure of, and drops what is over the limits. */
  const sort = async (keys: RowKey[]) => {
    const now = browser.now()
    // Keys come in order: the last of a lane is its newest.
    const newest = new Map(keys.map(([lane, sequence]) => [lane, sequence / 1000]))
    const isOrphan = ([lane]: RowKey) => {
      const ageMs = now - newest.get(lane)!
      return ageMs >= claimableAfterMs || ageMs < -dayMs
    }
    const dead = keys.filter(isOrphan).sort((a, b) => a[1] - b[1])
    orphans = [...new Set(dead.map(([lane]) => lane))]
    if (orphans.length < newest.size) again = browser.after(claimableAfterMs, () => void scan())

    const rows = dead.map((key) => ({ key }))
    const over = findOverflow(rows, sum(rows, 2), sum(rows, 3), limits, now)
    if (!over.length) return
    await records.save(
      [],
      over.map(([{ key }]) => key),
    )
    for (const [{ key }, reason] of over) tally.countDrops(reason, key[2])
  }

  /** Claims the next records of the orphans, oldest lane first. Resolves to whether there were any. */
  const claim = async (): Promise<boolean> => {
    for (let lane; orphans.length && (lane = mine()); orphans.shift()) {
      const claimed = await records.claim(orphans[0]!, lane, claimAtOnce)
      // This page left while it claimed: the records are in the lane that it gave up, for the next one.
      if (mine() !== lane) break
      if (claimed.length) {
        adopt(claimed)
        return true
      }
    }
    return false
  }

  return {
    scan,
    /** Everything is sent: claims more, and looks for more now and then. */
    more() {
      if (browser.now() - scannedAt > scanEveryMs) void scan()
      return claim()
    },
    hear(message: { ask: true } | { here: string }) {
      if ('here' in message) alive.add(message.here)
      else if (mine()) tell({ here: mine() })
    },
    /** Stops waiting for lanes that were too young. */
    leave: () => again(),
  }
}

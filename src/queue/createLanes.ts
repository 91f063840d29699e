import type { Browser } from '../browser/browser'
import type { Config } from '../types'
import type { Records } from './createRecords'
import type { Tally } from './createTally'
import { findOverflow } from './findOverflow'
import type { RowKey, StoredRow } from './payload'

/** A lane whose newest record is younger than this is not claimed: its page may just be busy. */
export const claimableAfterMs = 5000

/** A live page answers a ping in a few milliseconds, a background tab too: a message is an event. */
const answerWithinMs = 700

/** Records moved in one claim: a second of work at most, and far from the queue's limits. */
const claimAtOnce = 100

interface Parts {
  browser: Browser
  records: Records
  /** Tells all other pages of this queue. */
  tell: (message: { ask: true } | { here: string }) => void
  limits: Config['queue']
  tally: Tally
  /** This page's lane; empty while it has none. */
  mine: () => string
  adopt: (claimed: [RowKey, StoredRow][]) => void
}

/**
 * Finds the lanes of pages that are gone, and claims their records. There is no leader and no lock: who lives answers,
 * and a readwrite transaction decides between two who claim.
 */
export function createLanes({ browser, records, tell, limits, tally, mine, adopt }: Parts) {
  let alive = new Set<string>()
  let orphans: string[] = []
  let scanning = false
  let again = () => {}

  const others = async () => (await records.keys()).filter(([lane]) => lane !== mine())

  /** Looks for lanes whose page does not answer. Resolves to whether there is something to claim. */
  const scan = async (): Promise<boolean> => {
    if (scanning || !mine()) return false
    scanning = true
    again()
    try {
      if ((await others()).length) {
        alive = new Set()
        tell({ ask: true })
        await new Promise<void>((resolve) => browser.after(answerWithinMs, resolve))
        await sort((await others()).filter(([lane]) => !alive.has(lane)))
      }
    } finally {
      scanning = false
    }
    return orphans.length > 0
  }

  /** Tells the orphans from the lanes that are too young to be sure of, and drops what is over the limits. */
  const sort = async (keys: RowKey[]) => {
    const newest = new Map<string, number>()
    for (const [lane, sequence] of keys) newest.set(lane, Math.max(newest.get(lane) ?? 0, sequence / 1000))
    const now = browser.now()
    const isYoung = (lane: string) => newest.get(lane)! > now - claimableAfterMs
    // A clock that was set back makes a lane look young until then: a day is enough to wait for it.
    const isOrphan = (lane: string) => !isYoung(lane) || newest.get(lane)! > now + 86_400_000
    const dead = keys.filter(([lane]) => isOrphan(lane)).sort((a, b) => a[1] - b[1])
    orphans = [...new Set(dead.map(([lane]) => lane))]
    if (orphans.length < newest.size) again = browser.after(claimableAfterMs, () => void scanAndClaim())

    const rows = dead.map((key) => ({ key, sequence: key[1], payloads: { length: key[2] }, bytes: key[3] }))
    const sum = (field: 2 | 3) => dead.reduce((total, key) => total + key[field], 0)
    const over = findOverflow(rows, sum(2), sum(3), limits, now)
    if (over.length) {
      await records.save(
        '',
        [],
        over.map(([{ key }]) => key),
      )
      for (const [row, reason] of over) tally.countDrops(reason, row.payloads.length)
    }
  }

  /** Claims the next records of the orphans, oldest lane first. Resolves to whether there were any. */
  const claim = async (): Promise<boolean> => {
    while (orphans.length) {
      const lane = mine()
      if (!lane) break
      const claimed = await records.claim(orphans[0]!, lane, claimAtOnce)
      // This page left while it claimed: the records are in the lane that it gave up, for the next one.
      if (mine() !== lane) break
      if (claimed.length) {
        adopt(claimed)
        return true
      }
      orphans.shift()
    }
    return false
  }

  const scanAndClaim = async () => (await scan()) && claim()

  return {
    scan: () => scanAndClaim().catch(() => false),
    claim: () => claim().catch(() => false),
    hear(message: { ask: true } | { here: string }) {
      if ('here' in message) alive.add(message.here)
      else if (mine()) tell({ here: mine() })
    },
    /** Stops waiting for lanes that were too young. */
    leave: () => again(),
  }
}

import type { Browser } from '../browser/browser'
import type { Emit } from '../signals'
import type { Records } from './createRecords'
import type { Row } from './payload'

/** How long a page does without IndexedDB before it tries again. */
const retryAfterMs = 30_000

export interface Disk {
  /** False while only memory holds the queue. */
  works(): boolean
  /** Stores rows and settings; calls `onFull` once when there is no room, and tries again. Rows that fail are kept for later. */
  keep(lane: string, rows: Row[], settings: object): void
  /**
   * Removes what of these rows was stored, and stores again what is left of them. A page that is leaving may only
   * delete: a row of which something is left then stays as it is.
   */
  remove(lane: string, rows: Row[], contiguous: boolean, isLeaving: boolean): void
  /** Gives IndexedDB up for a while. */
  suspect(): void
  /** It was only slow: what waits in memory is stored by the next `keep`. */
  recover(): void
}

/** Keeps rows on disk when the browser lets it, in memory when not, and says which. */
export function createDisk(
  browser: Browser,
  records: Records | undefined,
  emit: Emit,
  onFull: () => void,
): Disk {
  let brokenUntil = records ? 0 : Infinity
  let waiting: Row[] = []

  const works = () => brokenUntil < browser.now()

  const turn = (until: number) => {
    if (!brokenUntil !== !until) emit('storage', { store: until ? 'memory' : 'indexeddb' })
    brokenUntil = until
  }
  const suspect = () => turn(browser.now() + retryAfterMs)

  const write = (lane: string, rows: Row[], settings: object, mayBeFull: boolean): Promise<void> =>
    records!.save(lane, rows, [], settings).then(
      () => turn(0),
      (error) => {
        for (const row of rows) delete row.key
        const left = rows.filter((row) => row.payloads.length)
        if (mayBeFull && error?.name === 'QuotaExceededError') {
          onFull()
          return write(lane, left, settings, false)
        }
        waiting.unshift(...left)
        suspect()
      },
    )

  return {
    works,
    suspect,
    recover: () => records && turn(0),
    keep(lane, rows, settings) {
      waiting.push(...rows)
      if (!records || !works()) return
      const now = waiting.filter((row) => row.payloads.length)
      waiting = []
      if (now.length || Object.keys(settings).length) void write(lane, now, settings, true)
    },
    remove(lane, rows, contiguous, isLeaving) {
      const shrunk = isLeaving ? [] : rows.filter((row) => row.payloads.length)
      const keys = rows.flatMap(({ key, payloads }) => (key && !(isLeaving && payloads.length) ? [key] : []))
      if (!keys.length) return
      const removed =
        contiguous && keys.length === rows.length && !shrunk.length
          ? records!.removeRange(keys[0]!, keys.at(-1)!)
          : records!.save(lane, shrunk, keys)
      // What could not be removed is sent again by a later page, with the same insert_id.
      removed.catch(suspect)
    },
  }
}

import { newId } from '../browser/newId'
import type { Browser } from '../browser/browser'
import type { Emit } from '../signals'
import type { Config, DropReason, Kind, Outcome } from '../types'
import { claimableAfterMs } from './createLanes'
import type { Records } from './createRecords'
import type { Tally } from './createTally'
import { findOverflow } from './findOverflow'
import { readId } from '../wire'
import { byteLength, type Payload, type Row, type RowKey, type StoredRow } from './row'

/** How long a page does without IndexedDB before it tries again. */
const retryAfterMs = 30_000

/** Payloads of one row: as far as sequences lie apart, so that each has one of its own when a row is split. */
const mostInRow = 100

/** Short: it stands in every key, and only has to differ from the other lanes of one browser. */
const newLane = () => newId(10)

const isLeft = (row: Row) => row.state !== 'gone'

export type Queue = ReturnType<typeof createQueue>

/**
 * One page's part of the queue, its lane: true in memory at every moment, on disk a few milliseconds later, in the
 * order of the calls.
 */
export function createQueue(
  browser: Browser,
  /** Absent when nothing may be kept on disk. */
  records: Records | undefined,
  config: Pick<Config, 'batch' | 'queue' | 'insertId'>,
  tally: Tally,
  emit: Emit,
) {
  let lane = newLane()
  let sequence = 0
  let rows: Row[] = []
  let unstored: Row[] = []
  let queued = 0
  let bytes = 0
  /** Why rows are being dropped now: what a listener tracks for each would push out the next, without end. */
  let full: DropReason | undefined
  let brokenUntil = records ? 0 : Infinity

  const works = () => brokenUntil < browser.now()

  const turn = (until: number) => {
    if (!brokenUntil !== !until) emit('storage', { store: until ? 'memory' : 'indexeddb' })
    brokenUntil = until
  }

  /** Gives IndexedDB up for a while. */
  const suspect = () => turn(browser.now() + retryAfterMs)

  const add = (kind: Kind, key: RowKey, payloads: Payload[], isStored = false) => {
    const row: Row = { kind, key, payloads, state: 'waiting', isStored }
    rows.push(row)
    queued += key[2]
    bytes += key[3]
    return row
  }

  const sort = () => rows.sort((a, b) => a.key[1] - b.key[1])

  const forget = (gone: Row[]) => {
    for (const row of gone) {
      row.state = 'gone'
      queued -= row.key[2]
      bytes -= row.key[3]
    }
    rows = rows.filter(isLeft)
    unstored = unstored.filter(isLeft)
  }

  const write = (fresh: Row[], gone: Row[], settings: object = {}, mayBeFull?: boolean) => {
    const keys = gone.filter((row) => row.isStored).map((row) => row.key)
    if (!fresh.length && !keys.length && !Object.keys(settings).length) return
    records?.save(fresh, keys, settings).then(
      () => turn(0),
      (error) => {
        for (const row of fresh) row.isStored = false
        unstored.unshift(...fresh)
        if (mayBeFull && error?.name === 'QuotaExceededError') {
          // The older half of what is stored makes room for what is new.
          const stored = rows.filter((row) => row.isStored && row.state === 'waiting')
          finish(stored.slice(0, Math.ceil(stored.length / 2)), { status: 'dropped', reason: 'no-space' })
          return store(settings, [], false)
        }
        // What could not be removed is sent again by a later page, with the same insert_id.
        suspect()
      },
    )
  }

  /**
   * Stores what this task has put, and the settings that it has changed: in its microtask, because a timer or an idle
   * callback loses a third.
   */
  const store = (settings?: object, gone: Row[] = [], mayBeFull = true) => {
    for (const [row, reason] of findOverflow(rows, queued, bytes, config.queue, browser.now())) {
      if (reason !== 'too-old') full = reason
      finish([row], { status: 'dropped', reason })
    }
    full = undefined
    let fresh: Row[] = []
    if (works()) {
      fresh = unstored
      unstored = []
    }
    write(fresh, gone, settings, mayBeFull)
  }

  /**
   * Takes rows off the queue for good, and tells why. Those that were taken off before are deleted once more, where it
   * cannot be known that it was done. `keepOnDisk` leaves their records to a later page.
   */
  const finish = (done: Row[], outcome: Outcome, keepOnDisk?: boolean) => {
    const left = done.filter(isLeft)
    forget(left)
    if (!keepOnDisk) write([], done)
    tally.tell(left, outcome)
  }

  const leaveOnDisk = (stored: Row[]) => finish(stored, { status: 'queued' }, true)

  return {
    put(kind: Kind, payload: Payload) {
      let row = unstored.at(-1)
      const { maxEvents, maxBytes } = config.batch
      const size = byteLength(payload.body) + 1
      // It alone would push all others out, and then itself.
      const reason = size > config.queue.maxBytes ? 'too-big' : full
      if (reason) return tally.tell([{ kind, payloads: [payload] }], { status: 'dropped', reason })
      if (
        row?.state !== 'waiting' ||
        row.kind !== kind ||
        row.key[2] >= Math.min(maxEvents, mostInRow) ||
        row.key[3] + size >= maxBytes
      ) {
        sequence = Math.max(sequence + mostInRow, browser.now() * 1000)
        unstored.push((row = add(kind, [lane, sequence, 0, 0, lane], [])))
      }
      row.payloads.push(payload)
      row.key[2]++
      row.key[3] += size
      queued++
      bytes += size
    },

    store,

    /** Takes over records that another page left and this one has claimed. */
    adopt(claimed: [RowKey, StoredRow][]) {
      for (const [key, stored] of claimed) {
        const [kind, ...bodies] = stored.split('\n') as [Kind, ...string[]]
        add(
          kind,
          key,
          bodies.map((body) => ({ id: readId(body, config.insertId), body })),
          true,
        )
        // What this page tracks next comes after it, also within one millisecond.
        if (key[1] < (browser.now() + 1) * 1000) sequence = Math.max(sequence, key[1])
      }
      sort()
    },

    /** Makes a row of each payload, to tell them apart. */
    split(row: Row): Row[] {
      const { kind, key, payloads } = row
      forget([row])
      const parts = payloads.map((payload, index) =>
        add(kind, [key[0], key[1] + index, 1, byteLength(payload.body) + 1, key[4]], [payload]),
      )
      sort()
      unstored.push(...parts)
      store({}, [row])
      return parts
    },

    all: () => rows,

    /**
     * Forgets those of a batch that another page has claimed while this one slept, and returns the others.
     */
    async stillOurs(batch: Row[]): Promise<Row[]> {
      const young = (browser.now() - claimableAfterMs) * 1000
      const old = batch.filter((row) => row.isStored && row.key[1] < young)
      const keys = old.length && (await records?.keys(old[0]!.key, old.at(-1)!.key).catch(() => {}))
      if (keys) {
        const there = new Set(keys.map(String))
        leaveOnDisk(old.filter((row) => !there.has(String(row.key))))
      }
      return batch.filter(isLeft)
    },

    finish,

    /** Gives the lane up, for a new one: what is on disk waits for the next page, the rest goes on in this one. */
    leave() {
      leaveOnDisk(rows.filter((row) => row.isStored))
      lane = newLane()
      for (const row of rows) {
        row.key[0] = lane
        row.state = 'waiting'
      }
    },

    lane: () => lane,
    works,
    suspect,
    /** It was only slow: what waits in memory is stored next time. */
    recover: () => turn(0),
    size: () => ({ queued, bytes, oldestAt: rows[0] && Math.floor(rows[0].key[1] / 1000) }),
  }
}

import { range, schedule } from './disk'
import type { Instance } from './instance'
import { byteLength } from './json'
import { tell, type Ended } from './signals'
import type { DropReason, Kind, Outcome } from './types'

/** One call that waits: serialised when it was made, sent as it is. */
export interface Payload extends Ended {
  readonly body: string
  /** Bytes of the body in UTF-8, and one for what stands between two. */
  readonly size: number
  readonly row: Row
}

/** An event record: what one task tracked, stored under one key. */
export interface Row {
  readonly kind: Kind
  readonly key: RowKey
  items: Payload[]
  /** A transaction puts it, or has put it, on disk. */
  isStored: boolean
  /** A request carries it. */
  isBusy: boolean
}

/**
 * Keys alone tell how much waits and how old it is, so that a page can count what others left without reading it.
 * `sequence` is in microseconds since 1970; with `origin`, the page queue it was tracked in, it is unique for ever.
 */
export type RowKey = [queue: string, sequence: number, payloads: number, origin: string]

/** A page that has not stored anything for this long may be gone. */
export const claimableAfterMs = 5000

/** Bytes of the body of a request with these payloads. */
export const sizeOf = (batch: Payload[]) => batch.reduce((sum, { size }) => sum + size, 1)

export const mark = (batch: Payload[], isBusy: boolean) => {
  for (const { row } of batch) row.isBusy = isBusy
}

export const isQueued = (payload: Payload) => payload.row.items.includes(payload)

const addRow = (w: Instance, kind: Kind, key: RowKey, isStored: boolean) => {
  const row: Row = { kind, key, items: [], isStored, isBusy: false }
  w.rows.push(row)
  return row
}

const fill = (w: Instance, row: Row, ended: Ended & { body: string }, size = byteLength(ended.body) + 1) => {
  row.items.push({ ...ended, size, row })
  w.queued++
  w.bytes += size
}

/** Takes payloads off the queue for good, and tells why. `keepOnDisk` leaves their records to a later page. */
export const finish = (w: Instance, batch: Payload[], outcome: Outcome, keepOnDisk?: boolean) => {
  const left = batch.filter(isQueued)
  for (const payload of left) {
    payload.row.items.splice(payload.row.items.indexOf(payload), 1)
    w.queued--
    w.bytes -= payload.size
  }
  for (const { row } of batch) {
    // What is empty and was never stored need not be deleted.
    const isClean = keepOnDisk || !(row.isStored || row.items[0])
    w.dirty[isClean ? 'delete' : 'add'](row)
  }
  // Nearly always the first: a long queue costs no more than a short one.
  while (w.rows[0] && !w.rows[0].items[0]) w.rows.shift()
  schedule(w)
  if (left[0]) tell(w, [left[0].row.kind, left], outcome)
}

export const all = (w: Instance) => w.rows.flatMap(({ items }) => items)

const finishRows = (w: Instance, rows: Row[], outcome: Outcome, keepOnDisk?: boolean) => {
  for (const row of rows) finish(w, [...row.items], outcome, keepOnDisk)
}

/** Lets go of all that waits. */
export const dropAll = (w: Instance, reason: DropReason) => {
  for (const { drop } of w.waiting.splice(0)) drop(reason)
  finishRows(w, [...w.rows], { status: 'dropped', reason })
}

/** There is no room on the disk: the older half of what is stored makes some. */
export const dropHalf = (w: Instance) => {
  const stored = w.rows.filter((row) => row.isStored && !row.isBusy)
  finishRows(w, stored.slice(0, Math.ceil(stored.length / 2)), { status: 'dropped', reason: 'no-space' })
}

/** Lets go of the oldest that are over a limit. What a request carries stays. */
const trim = (w: Instance) => {
  const { ttlMs, maxEvents, maxBytes } = w.config.queue
  for (let row; (row = w.rows.find(({ isBusy, items }) => !isBusy && items[0]));) {
    const reason =
      row.key[1] < (w.browser.now() - ttlMs) * 1000
        ? 'too-old'
        : w.queued > maxEvents
          ? 'too-many'
          : w.bytes > maxBytes && 'too-big'
    if (!reason) return
    finishRows(w, [row], { status: 'dropped', reason })
  }
}

/** Puts a payload at the end: true in memory at once, on disk a few milliseconds later. */
export const put = (w: Instance, kind: Kind, ended: Ended & { body: string }) => {
  const { maxEvents, maxBytes } = w.config.batch
  const size = byteLength(ended.body) + 1
  // It alone would push all others out, and then itself.
  if (size > w.config.queue.maxBytes)
    return tell(w, [kind, [ended]], { status: 'dropped', reason: 'too-big' })
  let row = w.rows.at(-1)
  if (
    !row ||
    row.isStored ||
    row.isBusy ||
    row.kind !== kind ||
    row.key[2] >= maxEvents ||
    sizeOf(row.items) + size > maxBytes
  ) {
    w.sequence = Math.max(w.sequence + 1, w.browser.now() * 1000)
    row = addRow(w, kind, [w.queueId, w.sequence, 0, w.queueId], false)
  }
  row.key[2]++
  fill(w, row, ended, size)
  w.dirty.add(row)
  trim(w)
  schedule(w)
}

/** Takes over records that another page left and this one has claimed. */
export const adopt = (w: Instance, claimed: [RowKey, string][]) => {
  for (const [key, stored] of claimed) {
    const [kind, ...bodies] = stored.split('\n') as [Kind, ...string[]]
    const row = addRow(w, kind, key, true)
    for (const body of bodies) fill(w, row, { id: '', body })
    // What this page tracks next comes after it, also within one millisecond.
    if (key[1] < (w.browser.now() + 1) * 1000) w.sequence = Math.max(w.sequence, key[1])
  }
  w.rows.sort((a, b) => a.key[1] - b.key[1])
  trim(w)
}

/** What one request is to carry: the first that wait, of one kind, whole rows, as many as fit. One may be larger. */
export const next = (w: Instance, maxBytes: number): Payload[] => {
  const batch: Payload[] = []
  for (const { kind, items, isBusy } of w.rows) {
    if (isBusy || !items[0]) continue
    if (batch[0] && (kind !== batch[0].row.kind || sizeOf(batch) + sizeOf(items) > maxBytes + 1)) break
    batch.push(...items)
  }
  return batch
}

const leaveOnDisk = (w: Instance, rows: Row[]) => finishRows(w, rows, { status: 'queued' }, true)

/** Forgets those of a batch that another page has claimed while this one slept, and returns the others. */
export const stillOurs = async (w: Instance, batch: Payload[]): Promise<Payload[]> => {
  const young = (w.browser.now() - claimableAfterMs) * 1000
  const old = batch.map(({ row }) => row).filter((row) => row.isStored && row.key[1] < young)
  if (old[0]) {
    const keys = await readKeys(w, old[0].key, old.at(-1)!.key)
    // As text: that is how keys compare.
    leaveOnDisk(
      w,
      old.filter(({ key }) => keys && !String(keys).includes(String(key))),
    )
  }
  return batch.filter(isQueued)
}

/** The keys of event records, from the first to the last, both included. Undefined when the disk does not say. */
export const readKeys = async (w: Instance, first: IDBValidKey = [], last: IDBValidKey = [[]]) => {
  try {
    const found = await w.database!.transact('readonly', (store) => store.getAllKeys(range(first, last)))
    return found.result as RowKey[]
  } catch {
    // There is no database, it is broken, or the page goes.
  }
}

/** Gives the queue up, for a new one: what is on disk waits for the next page, the rest goes on in this one. */
export const giveUp = (w: Instance, queueId: string) => {
  leaveOnDisk(
    w,
    w.rows.filter(({ isStored }) => isStored),
  )
  w.queueId = queueId
  for (const row of w.rows) {
    row.key[0] = queueId
    row.isBusy = false
  }
}

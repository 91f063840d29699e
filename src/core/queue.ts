import { within } from './browser'
import { range, schedule } from './disk'
import type { Instance } from './instance'
import type { Ended, EventRecord, Payload, RecordKey } from './records'
import { byteLength } from './json'
import { emit, tell } from './signals'
import type { DropReason, Kind, Outcome } from './types'

/** A page that has not stored anything for this long may be gone. */
export const claimableAfterMs = 5000

/** Bytes of the body of a request with these payloads. */
export const sizeOf = (batch: Payload[]) => {
  let bytes = 1
  // A page may have a `reduce` of its own: prototype.js before 1.7 gives the first of a list.
  for (const { size } of batch) bytes += size
  return bytes
}

export const mark = (w: Instance, batch: Payload[], isBusy: boolean) => {
  for (const payload of batch) payload.record.isBusy = isBusy
  w.browser.soon(() => emit(w, 'changed'))
}

export const isQueued = (payload: Payload) => payload.record.items.includes(payload)

/** What was made without consent stays in memory, whatever the visitor chooses later. */
const mayStore = ({ kind }: EventRecord) => kind !== 'anonymous'

const addRecord = (w: Instance, kind: Kind, key: RecordKey, isStored: boolean) => {
  const record: EventRecord = { kind, key, items: [], isPut: isStored, isStored, isBusy: false }
  w.records.push(record)
  return record
}

// Each field by its name: a spread costs as much as all the rest of `put`.
const fill = (
  w: Instance,
  record: EventRecord,
  { id, body, receipt, call }: Ended & { body: string },
  size = byteLength(body) + 1,
) => {
  // A call that waited is done with: an unload handler that is cut short right after this does not leave it to the next.
  if (receipt && receipt === w.heldCalls[0]?.receipt) w.heldCalls.shift()
  record.items.push({ id, body, receipt, call, size, record })
  w.queuedCount++
  w.queuedBytes += size
}

/** Takes payloads off the queue for good, and tells why. `keepOnDisk` leaves their records to a later page. */
export const finish = (w: Instance, batch: Payload[], outcome: Outcome, keepOnDisk?: boolean) => {
  const left = batch.filter(isQueued)
  for (const payload of left) {
    payload.record.items.splice(payload.record.items.indexOf(payload), 1)
    w.queuedCount--
    w.queuedBytes -= payload.size
  }
  for (const { record } of batch) {
    // An empty record that was never put need not be deleted.
    const isClean = keepOnDisk || !(record.isPut || (record.items[0] && mayStore(record)))
    w.dirty[isClean ? 'delete' : 'add'](record)
  }
  // Nearly always the first: a long queue costs no more than a short one.
  while (w.records[0] && !w.records[0].items[0]) w.records.shift()
  schedule(w)
  if (left[0]) tell(w, [left[0].record.kind, left], outcome)
}

/** How many calls wait that make a payload. */
export const countHeld = (w: Instance) => w.heldCalls.filter(({ receipt }) => receipt).length

/** Takes whole records off the queue: dropped for that reason, or, without one, left on the disk for a later page. */
const letGo = (w: Instance, records: EventRecord[], reason?: DropReason) => {
  for (const record of records)
    finish(w, [...record.items], reason ? { status: 'dropped', reason } : { status: 'queued' }, !reason)
}

/** Lets go of all that waits. */
export const dropAll = (w: Instance, reason: DropReason) => {
  for (const call of w.heldCalls.splice(0)) call.end([reason])
  letGo(w, [...w.records], reason)
}

/** Lets go of what is queued with ids. */
export const dropIds = (w: Instance) => letGo(w, w.records.filter(mayStore), 'no-consent')

/** Takes what waits without ids off the queue, so that it is called again, before what waits for the visitor. */
export const callAgain = (w: Instance) => {
  const records = w.records.filter((record) => !mayStore(record) && !record.isBusy)
  const payloads = records.flatMap(({ items }) => items.splice(0))
  w.queuedCount -= payloads.length
  w.queuedBytes -= sizeOf(payloads) - 1
  w.heldCalls.unshift(...payloads.flatMap(({ call }) => call ?? []))
}

/** There is no room on the disk: the older half of what is stored makes some. */
export const dropHalf = (w: Instance) => {
  const stored = w.records.filter((record) => record.isStored && !record.isBusy)
  letGo(w, stored.slice(0, (stored.length + 1) >> 1), 'no-space')
}

/** Lets go of the oldest that are over a limit. What a request carries stays. */
const trim = (w: Instance) => {
  const limits = w.config.queue
  for (let record; (record = w.records.find((one) => !one.isBusy && one.items[0]));) {
    const reason =
      record.key[1] < (w.browser.now() - limits.ttlMs) * 1000
        ? 'too-old'
        : w.queuedCount > limits.maxEvents
          ? 'too-many'
          : w.queuedBytes > limits.maxBytes && 'too-big'
    if (!reason) return
    letGo(w, [record], reason)
  }
}

/** Puts a payload at the end: true in memory at once, on disk a few milliseconds later. */
export const put = (w: Instance, kind: Kind, ended: Ended & { body: string }) => {
  const limits = w.config.batch
  const size = byteLength(ended.body) + 1
  // It alone would push all others out, and then itself.
  if (size > w.config.queue.maxBytes)
    return tell(w, [kind, [ended]], { status: 'dropped', reason: 'too-big' })
  let record = w.records.at(-1)
  if (
    !record ||
    record.isPut ||
    record.isBusy ||
    record.kind !== kind ||
    record.key[2] >= limits.maxEvents ||
    !(sizeOf(record.items) + size <= limits.maxBytes)
  ) {
    w.sequence = Math.max(w.sequence + 1, w.browser.now() * 1000)
    record = addRecord(w, kind, [w.queueId, w.sequence, 0, w.queueId], false)
  }
  record.key[2]++
  fill(w, record, ended, size)
  if (mayStore(record)) w.dirty.add(record)
  trim(w)
  schedule(w)
}

/** Takes over records that another page left and this one has claimed. */
export const adopt = (w: Instance, claimed: [RecordKey, string][]) => {
  for (const [key, stored] of claimed) {
    const [kind, ...bodies] = stored.split('\n') as [Kind, ...string[]]
    const record = addRecord(w, kind, key, true)
    for (const body of bodies) fill(w, record, { id: '', body })
    // The next event of this page comes after it, also within one millisecond.
    if (key[1] < (w.browser.now() + 1) * 1000) w.sequence = Math.max(w.sequence, key[1])
  }
  w.records.sort((a, b) => a.key[1] - b.key[1])
  trim(w)
}

/**
 * What one request is to carry: the first that wait, of one kind, whole records, as many as fit. One may be larger.
 * `inMemory` leaves out what is on the disk, or on its way there.
 */
export const next = (w: Instance, maxBytes: number, inMemory?: boolean): Payload[] => {
  const batch: Payload[] = []
  for (const { kind, items, isBusy, isPut } of w.records) {
    if (isBusy || !items[0] || (inMemory && isPut)) continue
    if (batch[0] && (kind !== batch[0].record.kind || !(sizeOf(batch) + sizeOf(items) <= maxBytes + 1))) break
    batch.push(...items)
  }
  return batch
}

/** Forgets those of a batch that another page has claimed while this one slept. */
export const forgetClaimed = async (w: Instance, batch: Payload[]) => {
  const young = (w.browser.now() - claimableAfterMs) * 1000
  const old = batch
    .map((payload) => payload.record)
    .filter((record) => record.isStored && record.key[1] < young)
  if (old[0]) {
    // All of their milliseconds: within one, records of several pages lie in another order on disk.
    const keys = await readKeys(w, [w.queueId, old[0].key[1]], [w.queueId, old.at(-1)!.key[1], []])
    // As text: that is how keys compare.
    letGo(
      w,
      old.filter((record) => keys && !String(keys).includes(String(record.key))),
    )
  }
}

/** A database that hangs does not hold what is in memory. */
const readWithinMs = 10_000

/** The keys of event records, from the first to the last, both included. Undefined when the disk does not say. */
export const readKeys = async (w: Instance, first: IDBValidKey = [], last: IDBValidKey = [[]]) => {
  try {
    const reading = w.database!.transact('readonly', (store) => store.getAllKeys(range(first, last)))
    return (await within(w.browser, readWithinMs, reading))?.result as RecordKey[] | undefined
  } catch {
    // There is no database, it is broken, or the page goes.
  }
}

/**
 * Gives the queue up, for a new one: what is on disk waits for the next page, the rest goes on in this one, also what is
 * on its way there, because that may fail.
 */
export const giveUp = (w: Instance, queueId: string) => {
  letGo(
    w,
    w.records.filter((record) => record.isStored),
  )
  w.queueId = queueId
  w.isMixed = true
  for (const record of w.records) {
    record.key[0] = queueId
    record.isBusy = false
  }
}

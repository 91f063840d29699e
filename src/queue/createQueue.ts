import { newId } from '../browser/newId'
import type { Browser } from '../browser/browser'
import type { Emit } from '../signals'
import type { Config, Kind, Outcome, Tracked } from '../types'
import { createDisk } from './createDisk'
import type { Records } from './createRecords'
import type { Tally } from './createTally'
import { cutBatch } from './cutBatch'
import { findOverflow } from './findOverflow'
import { byteLength, type Payload, type Row, type RowKey, type StoredRow } from './payload'

/** Short: it stands in every key, and only has to differ from the other lanes of one browser. */
const newLane = () => newId(10)

export type Queue = ReturnType<typeof createQueue>

interface Parts {
  browser: Browser
  /** Absent when nothing may be kept on disk. */
  records: Records | undefined
  config: Pick<Config, 'batch' | 'queue'>
  /** Finds the id in a payload that another page has made. */
  readId: (body: string) => string
  tally: Tally
  emit: Emit
}

/**
 * One page's part of the queue, its lane: true in memory at every moment, on disk a few milliseconds later, in the
 * order of the calls.
 */
export function createQueue({ browser, records, config, readId, tally, emit }: Parts) {
  let lane = newLane()
  let sequence = 0
  let payloads: Payload[] = []
  let bytes = 0
  let fresh: Row[] = []

  const disk = createDisk(browser, records, emit, () => {
    // The disk is full: the older half of what is stored makes room for what is new.
    const stored = payloads.filter(({ row, state }) => row.key && state === 'waiting')
    finish(stored.slice(0, Math.ceil(stored.length / 2)), { status: 'dropped', reason: 'no-space' })
  })

  const add = (row: Row, id: string, body: string, size: number, tracked?: Tracked) => {
    const payload: Payload = { id, kind: row.kind, body, bytes: size, row, state: 'waiting', tracked }
    row.payloads.push(payload)
    row.bytes += size
    bytes += size
    payloads.push(payload)
  }

  const evict = () => {
    const rows = new Set<Row>()
    for (const { row, state } of payloads) if (state === 'waiting') rows.add(row)
    for (const [row, reason] of findOverflow(rows, payloads.length, bytes, config.queue, browser.now())) {
      finish(row.payloads, { status: 'dropped', reason })
    }
  }

  /** Takes payloads off the queue for good, and tells why. `keepOnDisk` leaves their records to a later page. */
  const finish = (done: Payload[], outcome: Outcome, keepOnDisk?: boolean) => {
    done = done.filter(({ state }) => state !== 'gone')
    if (!done.length) return
    const rows = new Set<Row>()
    for (const payload of done) {
      payload.state = 'gone'
      bytes -= payload.bytes
      payload.row.bytes -= payload.bytes
      rows.add(payload.row)
    }
    for (const row of rows) row.payloads = row.payloads.filter(({ state }) => state !== 'gone')
    // Nearly always they are the first ones: then nothing is copied.
    const atFront = payloads[0] === done[0] && payloads[done.length - 1] === done.at(-1)
    if (atFront) payloads.splice(0, done.length)
    else payloads = payloads.filter(({ state }) => state !== 'gone')
    if (!keepOnDisk) disk.remove(lane, [...rows], atFront, outcome.status === 'handed-off')
    tally.tell(done, outcome)
  }

  return {
    put(kind: Kind, tracked: Tracked, body: string) {
      let row = fresh.at(-1)
      const { maxEvents, maxBytes } = config.batch
      const size = byteLength(body)
      const length = row && row.payloads.length + 1
      if (row?.kind !== kind || length! > maxEvents || row.bytes + size + length! >= maxBytes) {
        sequence = Math.max(sequence + 1, browser.now() * 1000)
        fresh.push((row = { sequence, origin: '', kind, payloads: [], bytes: 0 }))
      }
      add(row, tracked.id, body, size, tracked)
    },

    /** Stores what this task has put, and the settings that it has changed: in its microtask, because a timer or an idle callback loses a third. */
    store(settings: object = {}) {
      const { maxEvents, maxBytes, ttlMs } = config.queue
      const oldest = payloads[0]?.row.sequence ?? Infinity
      if (payloads.length > maxEvents || bytes > maxBytes || oldest < (browser.now() - ttlMs) * 1000) evict()
      const rows = fresh
      fresh = []
      disk.keep(lane, rows, settings)
    },

    /** Takes over records that another page left and this one has claimed. */
    adopt(claimed: [RowKey, StoredRow][]) {
      for (const [key, stored] of claimed) {
        const [kind, ...bodies] = stored.split('\n') as [Kind, ...string[]]
        const row: Row = { sequence: key[1], origin: key[4], kind, payloads: [], bytes: 0, key }
        for (const body of bodies) add(row, readId(body), body, byteLength(body))
        // What this page tracks next comes after it, also within one millisecond.
        if (row.sequence < (browser.now() + 1) * 1000) sequence = Math.max(sequence, row.sequence)
      }
      payloads.sort((a, b) => a.row.sequence - b.row.sequence)
    },

    all: () => payloads,

    /** Sequence of the newest record. */
    newest: () => payloads.at(-1)?.row.sequence ?? 0,

    next: (maxBytes: number) => cutBatch(payloads, maxBytes),

    /**
     * Forgets those of a batch that another page has claimed while this one slept, and returns the others.
     */
    async stillOurs(batch: Payload[], claimableAfterMs: number): Promise<Payload[]> {
      const young = (browser.now() - claimableAfterMs) * 1000
      const keys = batch.flatMap(({ row }) => (row.key && row.sequence < young ? [row.key] : []))
      if (!keys.length || !records) return batch
      const there = await records.keysBetween(keys[0]!, keys.at(-1)!).catch(() => keys)
      const found = new Set(there.map(String))
      const lost = batch.filter(({ row }) => keys.includes(row.key!) && !found.has(String(row.key)))
      for (const payload of lost) {
        payload.state = 'gone'
        bytes -= payload.bytes
      }
      if (lost.length) payloads = payloads.filter(({ state }) => state !== 'gone')
      tally.tell(lost, { status: 'queued' })
      return batch.filter(({ state }) => state !== 'gone')
    },

    finish,

    /** Deletes the records of payloads that are gone once more, where it cannot be known that it was done. */
    deleteAgain(done: Payload[]) {
      const rows = done
        .map(({ row }) => row)
        .filter((row) => row.payloads.every(({ state }) => state === 'gone'))
      for (const row of rows) row.payloads = []
      disk.remove(lane, rows, false, true)
    },

    /** Gives the lane up: what is on disk waits for the next page. */
    leave() {
      tally.tell(payloads, { status: 'queued' })
      for (const payload of payloads) payload.state = 'gone'
      payloads = []
      fresh = []
      bytes = 0
      lane = ''
    },

    /** Takes a new lane, after `leave`. */
    enter() {
      lane = newLane()
    },

    lane: () => lane,
    disk,
    size: () => ({
      queued: payloads.length,
      bytes,
      oldestAt: payloads[0] && Math.floor(payloads[0].row.sequence / 1000),
    }),
  }
}

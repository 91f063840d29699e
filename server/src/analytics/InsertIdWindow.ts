import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { DamagedIds, IdRun, type RunSpan } from './IdRun.js'

/** The ids of rows that were stored together, sorted, each with its row's sequence. */
interface IdBatch {
  ids: BigUint64Array
  through: number
  /** When the newest of the rows was received. */
  atMs: number
}

/**
 * Four neighbouring files of one size become one file, unless it would span more than half the window. So 100 M ids
 * make some ten files, and no file is kept for longer than one and a half windows.
 */
const mergedRuns = 4
const spansPerWindow = 2
/** This many ids are merged at once; other work gets its turn in between. */
const mergedIds = 2 ** 17
const usualRunIds = 2 ** 20

/** A set of 64-bit ids in one array. An id's lowest bits say at which slot the search for it begins. */
class IdSet {
  #halves: Uint32Array
  #mask: number
  #hasZero = false
  size = 0

  constructor(usual: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * usual))
    this.#halves = new Uint32Array(2 * slots)
    this.#mask = slots - 1
  }

  has(low: number, high: number): boolean {
    if (low === 0 && high === 0) return this.#hasZero
    const slot = 2 * this.#slotOf(low, high)
    return this.#halves[slot] !== 0 || this.#halves[slot + 1] !== 0
  }

  add(low: number, high: number): void {
    if (this.has(low, high)) return
    this.size++
    if (low === 0 && high === 0) {
      this.#hasZero = true
      return
    }
    this.#put(low, high)
    if (this.size > 0.6 * (this.#mask + 1)) this.#grow()
  }

  sorted(): BigUint64Array {
    const found = new BigUint64Array(this.size)
    const all = new BigUint64Array(this.#halves.buffer)
    let at = this.#hasZero ? 1 : 0
    for (let slot = 0; slot <= this.#mask; slot++) {
      if (this.#halves[2 * slot] !== 0 || this.#halves[2 * slot + 1] !== 0) found[at++] = all[slot]!
    }
    return found.sort()
  }

  /** The slot that holds an id, or the free slot for it. */
  #slotOf(low: number, high: number): number {
    const halves = this.#halves
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const a = halves[2 * slot]!
      const b = halves[2 * slot + 1]!
      if ((a === low && b === high) || (a === 0 && b === 0)) return slot
    }
  }

  #put(low: number, high: number): void {
    const slot = 2 * this.#slotOf(low, high)
    this.#halves[slot] = low
    this.#halves[slot + 1] = high
  }

  #grow(): void {
    const old = this.#halves
    this.#halves = new Uint32Array(2 * old.length)
    this.#mask = old.length - 1
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== 0 || old[at + 1] !== 0) this.#put(old[at]!, old[at + 1]!)
    }
  }
}

/**
 * The insert ids of the last days, as 64-bit hashes. The newest are in memory; the others are in sorted files, each
 * with a filter in memory that spares nearly all reading. Every id can be read from the rows in DuckDB again: that is
 * done for ids that a crash has lost, and files with ids of rows that DuckDB does not have are removed.
 */
export class InsertIdWindow {
  readonly #folder: string
  /** An id is remembered for at least this long. It may be a few days more, because files are given up whole. */
  readonly windowMs: number
  /** So many ids stay in memory before they become a file. */
  readonly #runIds: number
  /** The files, oldest first; each begins where the one before it ends. */
  #runs: IdRun[] = []
  #recent: IdSet
  /** What `hashSample` gives: ids of a DuckDB that hashes differently are never among these. */
  #hash = 0n
  /** The rows of the ids in memory; its `after` is where the last file ends. */
  #span!: RunSpan
  #work: Promise<void> = Promise.resolve()

  constructor({
    folder,
    windowMs,
    runIds = usualRunIds,
  }: {
    folder: string
    windowMs: number
    runIds?: number
  }) {
    this.#folder = folder
    this.windowMs = windowMs
    this.#runIds = runIds
    this.#recent = new IdSet(runIds)
    this.#begin(0)
  }

  /**
   * Opens the files whose rows are all up to `applied` and whose ids were made by the same `hash`; removes the others.
   * Gives the sequence after which ids are missing.
   */
  open(applied: number, hash: bigint): number {
    this.#hash = hash
    this.#runs = []
    this.#recent = new IdSet(this.#runIds)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const found: IdRun[] = []
    for (const name of readdirSync(this.#folder)) {
      const file = join(this.#folder, name)
      const run = name.endsWith('.ids') ? IdRun.open(file) : undefined
      if (run === undefined) rmSync(file)
      else found.push(run)
    }
    // If two files begin after the same row, the longer one was merged from the other.
    found.sort((a, b) => a.span.after - b.span.after || b.span.through - a.span.through)
    let last: RunSpan | undefined
    for (const run of found) {
      const follows = last === undefined || run.span.after === last.through
      if (follows && run.span.through <= applied && run.span.hash === hash) {
        this.#runs.push(run)
        last = run.span
      } else run.remove()
    }
    const after = last?.through ?? 0
    this.#begin(after)
    return after
  }

  /** Forgets all ids, and begins after a row. */
  clear(after: number): void {
    for (const run of this.#runs.splice(0)) run.remove()
    this.#recent = new IdSet(this.#runIds)
    this.#begin(after)
  }

  /** The last row before the oldest file: the ids of rows up to it are not known. */
  get after(): number {
    return this.#runs[0]?.span.after ?? this.#span.after
  }

  /**
   * The indexes of those ids in a sorted list that come earlier in the list or are in the window. Throws DamagedIds when
   * a file is not as it was written, and removes that file: then the window must be filled again.
   */
  seen(ids: BigUint64Array): number[] {
    const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length)
    const found: number[] = []
    for (let at = 0; at < ids.length; at++) {
      const low = halves[2 * at]!
      const high = halves[2 * at + 1]!
      const isRepeated = at > 0 && halves[2 * at - 2] === low && halves[2 * at - 1] === high
      if (isRepeated || this.#recent.has(low, high)) found.push(at)
    }
    // Each file is asked for all ids in order, so that what is read of its filter lies side by side.
    for (const run of this.#runs) {
      try {
        run.seen(halves, found)
      } catch (error) {
        if (error instanceof DamagedIds) rmSync(run.file, { force: true })
        throw error
      }
    }
    return [...new Set(found)]
  }

  /** Remembers ids. It is called only once their rows are committed to DuckDB. */
  async add({ ids, through, atMs }: IdBatch): Promise<void> {
    const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length)
    for (let at = 0; at < ids.length; at++) {
      this.#recent.add(halves[2 * at]!, halves[2 * at + 1]!)
    }
    this.#span.through = through
    this.#span.fromMs = Math.min(this.#span.fromMs, atMs)
    this.#span.toMs = Math.max(this.#span.toMs, atMs)
    if (this.#recent.size >= this.#runIds) await this.#flush()
  }

  /** Writes the ids in memory to a file, before their rows are deleted from DuckDB. */
  async save(): Promise<void> {
    if (this.#recent.size > 0) await this.#flush()
  }

  async close(): Promise<void> {
    await this.#work
    for (const run of this.#runs) run.close()
  }

  #begin(after: number): void {
    this.#span = { hash: this.#hash, after, through: after, fromMs: Infinity, toMs: 0, count: 0 }
  }

  async #flush(): Promise<void> {
    const ids = this.#recent.sorted()
    const span = { ...this.#span, count: ids.length }
    const run = await IdRun.write(this.#fileOf(span), span, [ids])
    this.#runs.push(run)
    this.#recent = new IdSet(this.#runIds)
    this.#begin(span.through)
    // The first of the file's rows counts: a clock that is ahead now, or was for a row, makes no other too old.
    const newestMs = Math.min(span.fromMs, Date.now())
    // A file with a row that came while the clock was ahead goes when the file after it may go.
    const oldestMs = () => Math.min(...this.#runs.slice(0, 2).map((each) => each.span.toMs))
    while (this.#runs.length > 1 && oldestMs() < newestMs - this.windowMs) {
      const [oldest] = this.#runs
      // A merge may be reading the oldest file.
      await this.#work
      if (this.#runs[0] === oldest) this.#runs.shift()!.remove()
    }
    // If a merge fails, as on a full disk, the files stay as they are until the next one is written.
    this.#work = this.#work.then(() => this.#merge()).catch(() => undefined)
  }

  #fileOf({ after, through }: RunSpan): string {
    return join(this.#folder, `${after}-${through}.ids`)
  }

  /** The oldest neighbours that should become one file. To merge newer ones first would leave small files between large ones. */
  #toMerge(): IdRun[] | undefined {
    const sizeOf = (run: IdRun) =>
      Math.floor(Math.log(run.span.count / this.#runIds + 0.5) / Math.log(mergedRuns))
    for (let end = mergedRuns; end <= this.#runs.length; end++) {
      const runs = this.#runs.slice(end - mergedRuns, end)
      const isShort = runs.at(-1)!.span.toMs - runs[0]!.span.fromMs <= this.windowMs / spansPerWindow
      if (isShort && new Set(runs.map(sizeOf)).size === 1) return runs
    }
    return undefined
  }

  async #merge(): Promise<void> {
    const runs = this.#toMerge()
    if (runs === undefined) return
    const spans = runs.map((run) => run.span)
    const span: RunSpan = {
      hash: this.#hash,
      after: spans[0]!.after,
      through: spans.at(-1)!.through,
      fromMs: spans[0]!.fromMs,
      toMs: spans.at(-1)!.toMs,
      count: spans.reduce((sum, { count }) => sum + count, 0),
    }
    const merged = await IdRun.write(this.#fileOf(span), span, partsOf(runs))
    this.#runs.splice(this.#runs.indexOf(runs[0]!), runs.length, merged)
    for (const run of runs) run.remove()
    await this.#merge()
  }
}

/** All ids of some files in order, part by part. */
async function* partsOf(runs: readonly IdRun[]): AsyncGenerator<BigUint64Array> {
  const parts = Math.ceil(runs.reduce((sum, run) => sum + run.span.count, 0) / mergedIds)
  const step = 2 ** 32 / parts
  for (let part = 0; part < parts; part++) {
    const pieces = runs.map((run) => run.read(part * step, (part + 1) * step))
    const ids = new BigUint64Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      ids.set(piece, at)
      at += piece.length
    }
    yield ids.sort()
    await setImmediate()
  }
}

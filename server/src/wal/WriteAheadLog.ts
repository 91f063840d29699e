import { constants, readdirSync, statSync, writeSync } from 'node:fs'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { lookAtDisk } from '../disk/DiskRoom.js'
import { syncFolder } from '../disk/writeWhole.js'
import {
  createSalt,
  headBytes,
  sizeOfFrame,
  writeFrame,
  writeHead,
  type Held,
  type LogRecord,
  type SegmentHead,
} from './segment.js'
import type { AcceptLog } from './AcceptLog.js'
import { GroupCommit, FrameBuffer } from './GroupCommit.js'
import { type FoundLog, scanLog, LogMark } from './scanLog.js'
import { SegmentFiles, segmentFile, sizesFor, type SegmentSizes } from './SegmentFiles.js'

/** A longer write has held up everything else for too long. */
const slowMs = 10
/** After a slow write another thread writes for this many times as long, so a slow disk holds this one up for a twentieth. */
const asideTimes = 20

/**
 * Writes in this thread while the disk is quick. A write of 0.2 ms by another thread takes 1 to 2 ms of a busy process,
 * because news of it queues behind requests: with 64 connections on two processors 61 % of a bare handler's requests came
 * through instead of 72 %.
 */
export class DiskWriter {
  #asideUntilMs = 0

  /** Resolves with how many bytes the disk took. */
  async write(handle: FileHandle, bytes: Buffer, at: number): Promise<number> {
    const beganMs = performance.now()
    const isAside = beganMs < this.#asideUntilMs
    try {
      if (isAside) return (await handle.write(bytes, 0, bytes.length, at)).bytesWritten
      return writeSync(handle.fd, bytes, 0, bytes.length, at)
    } finally {
      const tookMs = performance.now() - beganMs
      if (!isAside && tookMs > slowMs) this.#asideUntilMs = beganMs + tookMs + asideTimes * tookMs
    }
  }
}

const closedMessage = 'The write-ahead log is closed.'
/** A mark is written this long after the first row that it will cover: a write a second costs a disk nothing. */
const noteAfterMs = 1000

interface Current extends SegmentHead {
  handle: FileHandle
  /** Where the next frame goes. */
  end: number
}

/**
 * Holds rows that were promised to a client and may not be in DuckDB yet. One process writes the log; a `LogReader`
 * follows it in the same process or another one. Segments are filled with zeros before their first use and then used
 * again, so a write changes only contents, and O_DSYNC waits for one round to the disk.
 */
export class WriteAheadLog implements AcceptLog {
  /** Only a write shows whether the disk takes anything. */
  readonly obstacle = undefined
  readonly #folder: string
  /** The segments that hold rows, oldest first; the last of them is being written. */
  readonly #live: SegmentHead[]
  #current: Current | undefined
  /** The newest row that is on disk. */
  #durable: number
  /** The newest row, on disk or on its way there. */
  #last: number
  #held: Held[]
  #bytes = 0
  readonly #files: SegmentFiles
  readonly #frame = new FrameBuffer()
  readonly #writer = new DiskWriter()
  readonly #mark: LogMark
  #noting: NodeJS.Timeout | undefined
  readonly #commits = new GroupCommit((records) => this.#commit(records))
  #trimming: Promise<void> | undefined
  #skip = 0
  #isClosed = false

  private constructor(folder: string, sizes: SegmentSizes, found: Pick<FoundLog, 'live' | 'last' | 'held'>) {
    this.#folder = folder
    this.#files = new SegmentFiles(folder, sizes, found.live.at(-1)?.number ?? 0)
    this.#mark = new LogMark(folder)
    this.#live = found.live
    this.#durable = found.last
    this.#last = found.last
    this.#held = found.held
    for (const { bytes } of found.held) this.#bytes += bytes
  }

  /** Reads the whole log. A new log begins after row `before`. */
  static async open(folder: string, before = 0, given?: SegmentSizes): Promise<WriteAheadLog> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const sizes = given ?? sizesFor(await lookAtDisk(folder))
    const { spares, end, ...found } = await scanLog(folder, before)
    const next = (found.live.at(-1)?.number ?? 0) + 1
    for (const number of spares) if (number !== next) await rm(segmentFile(folder, number))
    for (const name of readdirSync(folder)) {
      if (name === 'new' || name.endsWith('.kept')) await rm(join(folder, name))
    }
    const log = new WriteAheadLog(folder, sizes, found)
    if (spares.includes(next)) log.#files.adopt(next, statSync(segmentFile(folder, next)).size)
    await log.#resume(end)
    return log
  }

  /** The sequence of the newest row that is on disk. */
  get durable(): number {
    return this.#durable
  }

  /** The sequence of the newest row, counting rows that are still on their way to the disk. */
  get last(): number {
    return this.#last
  }

  /** The sequence before the oldest row that the log still has: all rows up to it must be in DuckDB. */
  get before(): number {
    return this.#live[0]!.before
  }

  /** Bytes of the bodies that wait to be applied. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves with the sequence of the record's last row once it is on disk. */
  append(record: LogRecord): Promise<number> {
    if (this.#isClosed) return Promise.reject(new Error(closedMessage))
    this.#last += record.count
    this.#bytes += record.body.length
    return this.#commits.add(record)
  }

  /** Goes on after this row: after a restored backup DuckDB holds rows that this log never had. */
  skipTo(applied: number): void {
    this.#skip = Math.max(this.#skip, applied)
  }

  /** Gives up the segments that hold no row after this sequence; the largest files are used again. */
  async trim(through: number): Promise<void> {
    let gone = 0
    for (; gone < this.#held.length && this.#held[gone]!.last <= through; gone++) {
      this.#bytes -= this.#held[gone]!.bytes
    }
    this.#held.splice(0, gone)
    if (this.#trimming !== undefined || this.#isClosed) return
    this.#trimming = this.#trim(through).finally(() => (this.#trimming = undefined))
    await this.#trimming
  }

  /**
   * Goes on in a file that has never held a row, and gives the last row before it. Once the rows up to there are
   * applied, `remove` leaves no byte of them.
   */
  seal(): Promise<number> {
    if (this.#isClosed) return Promise.reject(new Error(closedMessage))
    return this.#commits.between(() => this.#seal())
  }

  /** Does what `trim` does, and resolves once the files are gone. */
  async remove(through: number): Promise<void> {
    while (this.#trimming !== undefined) await this.#trimming
    await this.trim(through)
  }

  async #seal(): Promise<number> {
    await this.#files.reuseFrom(this.#live.at(-1)!.number + 1)
    await this.#begin(0)
    return Math.max(this.#durable, this.#skip)
  }

  async #trim(through: number): Promise<void> {
    if (this.#live.length < 2 || this.#live[1]!.before > through) return
    while (this.#live.length > 1 && this.#live[1]!.before <= through) {
      await this.#files.giveUp(this.#live.shift()!)
    }
    await syncFolder(this.#folder)
  }

  /** Waits for running writes, then writes an empty frame, which shows that the frame before it was whole. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#commits.end()
    await this.#trimming?.catch(() => undefined)
    await this.#files.close()
    const { handle, salt, end, bytes } = this.#current!
    const frame = Buffer.alloc(sizeOfFrame([]))
    writeFrame({ salt, first: this.#durable + 1, records: [] }, frame)
    if (end + frame.length <= bytes) await handle.write(frame, 0, frame.length, end).catch(() => undefined)
    await handle.close()
    this.#note()
    await this.#mark.close()
  }

  /** Notes which rows are on disk, so that their loss would be noticed. */
  #note(): void {
    clearTimeout(this.#noting)
    this.#noting = undefined
    this.#mark.note({ segment: this.#current!.number, last: this.#durable })
  }

  async #commit(records: readonly LogRecord[]): Promise<number> {
    try {
      await this.#write(records)
    } catch (error) {
      for (const { count, body } of records) {
        this.#last -= count
        this.#bytes -= body.length
      }
      throw error
    }
    for (const { count, body } of records) {
      this.#durable += count
      this.#held.push({ last: this.#durable, bytes: body.length })
    }
    this.#noting ??= setTimeout(() => this.#note(), noteAfterMs).unref()
    return this.#durable
  }

  async #write(records: readonly LogRecord[]) {
    const first = Math.max(this.#durable, this.#skip) + 1
    const bytes = sizeOfFrame(records)
    if (this.#current!.end + bytes > this.#current!.bytes) await this.#begin(bytes)
    const current = this.#current!
    const frame = this.#frame.write({ salt: current.salt, first, records })
    const written = await this.#writer.write(current.handle, frame, current.end)
    if (written !== bytes) throw new Error('The disk took only a part of a write.')
    current.end += bytes
    this.#last += first - 1 - this.#durable
    this.#durable = first - 1
  }

  /** Goes on in the last segment, or makes the first one. */
  async #resume(end: number) {
    const head = this.#live.at(-1)
    if (head === undefined) return this.#begin(0)
    const file = segmentFile(this.#folder, head.number)
    this.#current = { ...head, handle: await open(file, constants.O_RDWR | constants.O_DSYNC), end }
  }

  /** Goes on in a new segment with room for at least one frame of this many bytes. */
  async #begin(frame: number) {
    const number = (this.#live.at(-1)?.number ?? 0) + 1
    const bytes = await this.#files.make(number, headBytes + frame)
    const head = { number, salt: createSalt(), bytes, before: this.#durable }
    const file = segmentFile(this.#folder, number)
    const handle = await open(file, constants.O_RDWR | constants.O_DSYNC)
    await handle.write(writeHead(head), 0, headBytes, 0)
    await this.#current?.handle.close()
    this.#current = { ...head, handle, end: headBytes }
    this.#live.push(head)
    this.#note()
    this.#files.makeNext(head)
  }
}

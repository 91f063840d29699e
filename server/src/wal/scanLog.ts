import { closeSync, existsSync, openSync, readSync, constants } from 'node:fs'
import { readFile, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { OperatorError } from '../OperatorError.js'
import { headBytes, readHead, scanSegment, type Held, type SegmentHead } from './segment.js'
import { listSegments, segmentFile } from './SegmentFiles.js'
import { syncFolder } from '../disk/writeWhole.js'

/** How far a log has surely reached. */
export interface Reached {
  /** The newest segment that was begun. */
  segment: number
  /** A row that is on disk, as are all before it. */
  last: number
}

/*
 * Without the file `reached` beside the segments nobody would notice that the newest segment is lost. The file has two
 * slots, at 0 and at 4096, which are written in turn and in place: a write that is cut off leaves the other slot whole.
 *
 * | offset in a slot | length | meaning |
 * |---|---|---|
 * | 0 | 8 | `waymarkm` |
 * | 8 | 8 | the number of the newest segment, as a double |
 * | 16 | 8 | the sequence of a row that is on disk, as a double |
 * | 24 | 4 | CRC-32 of the bytes 0 to 23 |
 *
 * Numbers are little-endian.
 * Check: a slot counts when its first bytes and its checksum are right. If both slots count, the further one is used.
 * Another version: a slot that begins otherwise does not count. A log without a slot that counts is read without a mark.
 */
const markFile = (folder: string) => join(folder, 'reached')
const magic = Buffer.from('waymarkm')
/** The slots are 4096 bytes apart because no disk has larger sectors: a write of one slot never touches the other. */
const slotStarts = [0, 4096]
const slotBytes = 28

const writeSlot = ({ segment, last }: Reached): Buffer => {
  const slot = Buffer.alloc(slotBytes)
  magic.copy(slot)
  slot.writeDoubleLE(segment, 8)
  slot.writeDoubleLE(last, 16)
  slot.writeUInt32LE(crc32(slot.subarray(0, 24)), 24)
  return slot
}

const readSlot = (slot: Buffer): Reached | undefined => {
  if (slot.length < slotBytes || !slot.subarray(0, 8).equals(magic)) return undefined
  if (crc32(slot.subarray(0, 24)) !== slot.readUInt32LE(24)) return undefined
  return { segment: slot.readDoubleLE(8), last: slot.readDoubleLE(16) }
}

const readSlots = async (folder: string): Promise<(Reached | undefined)[]> => {
  const bytes = await readFile(markFile(folder)).catch(() => Buffer.alloc(0))
  return slotStarts.map((start) => readSlot(bytes.subarray(start, start + slotBytes)))
}

const isFurther = (a: Reached | undefined, b: Reached | undefined) =>
  a !== undefined && (b === undefined || a.segment > b.segment || a.last > b.last)

/** The last mark of a log; undefined when there is none. */
export const readMark = async (folder: string): Promise<Reached | undefined> => {
  const [first, second] = await readSlots(folder)
  return isFurther(second, first) ? second : first
}

/** Notes how far a log has reached. The rows are on disk before they are noted, so a mark can be late but never wrong. */
export class LogMark {
  readonly #folder: string
  #handle: FileHandle | undefined
  /** The slot that is written next. */
  #slot = 0
  #wanted: Reached | undefined
  #writing: Promise<void> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Nobody waits for the mark. If the disk does not take it, a loss may go unnoticed; the log itself works as before. */
  note(reached: Reached): void {
    this.#wanted = reached
    this.#writing ??= this.#write()
      .catch(() => undefined)
      .finally(() => (this.#writing = undefined))
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#handle?.close()
  }

  async #write(): Promise<void> {
    const handle = (this.#handle ??= await this.#open())
    for (let reached = this.#wanted; reached !== undefined; reached = this.#wanted) {
      this.#wanted = undefined
      await handle.write(writeSlot(reached), 0, slotBytes, slotStarts[this.#slot])
      this.#slot = 1 - this.#slot
    }
  }

  async #open(): Promise<FileHandle> {
    const [first, second] = await readSlots(this.#folder)
    this.#slot = isFurther(second, first) ? 0 : 1
    const handle = await open(
      markFile(this.#folder),
      constants.O_RDWR | constants.O_CREAT | constants.O_DSYNC,
      0o600,
    )
    if (first === undefined && second === undefined) {
      await handle.write(Buffer.alloc(slotStarts[1]! + slotBytes), 0)
      await syncFolder(this.#folder)
    }
    return handle
  }
}

const damagedLog = (file: string, what: string) =>
  new OperatorError(
    `The store is damaged: the write-ahead log ${file} ${what}. Nothing was changed; restore the data folder from a backup, or let waymark-server salvage keep what can still be read.`,
  )

/** The sequence before the oldest row of a log, 0 for a new log. Another process may be writing it. */
export const beforeOf = (folder: string): number => {
  for (const number of listSegments(folder)) {
    const bytes = Buffer.alloc(headBytes)
    const handle = openSync(segmentFile(folder, number), 'r')
    readSync(handle, bytes, 0, headBytes, 0)
    closeSync(handle)
    const head = readHead(bytes)
    if (head?.number === number) return head.before
  }
  return 0
}

export interface FoundLog {
  /** The segments that hold rows, oldest first. */
  live: SegmentHead[]
  /** The numbers of segments that were made but never used. */
  spares: number[]
  /** The sequence of the newest row. */
  last: number
  /** Where the next frame goes in the last segment. */
  end: number
  held: Held[]
}

/** Throws when a log ends before the row that its mark says it has reached. */
const checkReached = (folder: string, { live, last }: Pick<FoundLog, 'live' | 'last'>, reached: Reached) => {
  const newest = live.at(-1)?.number ?? 0
  const lost = last < reached.last ? `; rows ${last + 1} to ${reached.last} were in it` : ''
  if (newest < reached.segment) {
    const file = segmentFile(folder, newest + 1)
    throw damagedLog(file, `${existsSync(file) ? 'holds nothing but zeros' : 'is missing'}${lost}`)
  }
  if (lost !== '') throw damagedLog(segmentFile(folder, newest), `has lost its end${lost}`)
}

/** Reads a whole log, and throws when it is damaged. An empty log begins after row `before`. */
export const scanLog = async (folder: string, before = 0): Promise<FoundLog> => {
  // The mark is read before the segments: while another process writes, the segments only get further than the mark.
  const reached = await readMark(folder)
  const live: SegmentHead[] = []
  const spares: number[] = []
  const held: Held[] = []
  let [last, end] = [before, headBytes]
  for (const number of listSegments(folder)) {
    const file = segmentFile(folder, number)
    const bytes = await readFile(file)
    const head = readHead(bytes)
    if (
      head === undefined &&
      (bytes.length < headBytes || bytes.subarray(0, headBytes).some((byte) => byte !== 0))
    )
      throw damagedLog(file, 'is overwritten')
    if (head?.number !== number) {
      spares.push(number)
      continue
    }
    const previous = live.at(-1)
    if (bytes.length !== head.bytes) throw damagedLog(file, 'is cut off')
    if (spares.length > 0) throw damagedLog(segmentFile(folder, spares[0]!), 'is overwritten')
    if (previous !== undefined && (previous.number !== number - 1 || head.before !== last))
      throw damagedLog(segmentFile(folder, previous.number), 'has lost its end')
    const scan = scanSegment(bytes, head)
    if (scan.isBroken) throw damagedLog(file, 'is overwritten in the middle')
    live.push(head)
    ;({ last, end } = scan)
    held.push(...scan.held)
  }
  if (reached !== undefined) checkReached(folder, { live, last }, reached)
  return { live, spares, last, end, held }
}

import { constants } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
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

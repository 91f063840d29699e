import { constants } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncFolder } from '../store/syncFolder.js'

/** How far a log has surely reached. */
export interface Reached {
  /** The newest segment that was begun. */
  segment: number
  /** A row that is on disk, as are all before it. */
  last: number
}

/**
 * A file beside the segments, without which the loss of the newest of them would not be noticed. It has two slots,
 * which are written in turn, in place: a write that is cut off leaves the other one.
 *
 * | offset in a slot | length | |
 * |---|---|---|
 * | 0 | 8 | `waymarkm` |
 * | 8 | 8 | the number of a segment, as a double |
 * | 16 | 8 | the sequence of a row, as a double |
 * | 24 | 4 | CRC-32 of what stands before it |
 *
 * A slot counts when its checksum is right, and of two the one that is further. A log whose disk took no note has no mark, and is read as it is.
 */
const markFile = (folder: string) => join(folder, 'reached')
const magic = Buffer.from('waymarkm')
/** No sector of a disk is smaller, so that no write of one slot touches the other. */
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

/** What was noted of a log last; undefined where nothing was. */
export const readMark = async (folder: string): Promise<Reached | undefined> => {
  const [first, second] = await readSlots(folder)
  return isFurther(second, first) ? second : first
}

/** Notes how far a log has reached. What it is told is on disk already, so a note can be late, and never wrong. */
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

  /** Nobody waits for it. Where the disk takes no note, a loss may go unnoticed, and nothing else is different. */
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

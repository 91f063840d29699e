import { readdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, lookAtDisk } from '../disk/DiskRoom.js'
import type { SegmentHead } from './segment.js'
import { putInPlace, syncFolder } from '../disk/writeWhole.js'

/** The bytes of the first segment and of the largest. */
export interface SegmentSizes {
  smallest: number
  largest: number
}

/** Two cores accept 45 MB/s, so the largest segment, 64 MiB, lasts more than a second. */
const usualSizes: SegmentSizes = { smallest: 2 ** 20, largest: 2 ** 26 }

/** There are up to six files of the largest size: one is written, one is made, four are kept. On a small disk all six take a tenth. */
export const sizesFor = ({ total }: Disk): SegmentSizes => ({
  ...usualSizes,
  largest: Math.max(
    usualSizes.smallest,
    Math.min(usualSizes.largest, 2 ** Math.floor(Math.log2(total / 60))),
  ),
})

/** New files leave this much of the disk: DuckDB needs it to store the log's rows, and only then can the log shrink. */
const leftFree = ({ total }: Disk) => Math.min(2 ** 24, total / 20)

/** How many files of the largest size are kept to be used again. */
const maxKept = 4

export const segmentFile = (folder: string, number: number): string =>
  join(folder, `${String(number).padStart(10, '0')}.wal`)

/** The numbers of the segments in a folder, oldest first. */
export const listSegments = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => (/^\d{10}\.wal$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .toSorted((a, b) => a - b)

const keptFile = (folder: string, { number }: SegmentHead) => join(folder, `${number}.kept`)

/** Zeros go to the disk in small pieces because a write of the log waits for them: for 64 MiB at once up to 40 ms. */
const filledAtOnce = 2 ** 21

/** Makes the files of segments, fills them with zeros before their first use, and keeps the largest for another use. */
export class SegmentFiles {
  readonly #folder: string
  readonly #sizes: SegmentSizes
  readonly #lookAtDisk: (path: string) => Promise<Disk>
  /** The files of segments before this number are not used again. */
  #reusedFrom: number
  /** The file of the next segment, made ahead of time. */
  #spare: { number: number; bytes: Promise<number> } | undefined
  /** Former segments, whose files can be used again without being filled. */
  readonly #kept: SegmentHead[] = []

  /** `newest` is the last segment of an earlier process; files up to it are never used again. */
  constructor(folder: string, sizes: SegmentSizes, newest: number, look = lookAtDisk) {
    this.#folder = folder
    this.#lookAtDisk = look
    this.#sizes = sizes
    this.#reusedFrom = newest + 1
  }

  /** Makes a segment's file of at least `leastBytes`; gives its length. */
  async make(number: number, leastBytes: number): Promise<number> {
    const spare = this.#spare?.number === number ? await this.#spare.bytes.catch(() => 0) : 0
    if (spare > 0 && spare >= leastBytes) return spare
    return this.#prepare(number, Math.max(this.#sizes.smallest, leastBytes), leastBytes)
  }

  /** Takes over the file that an earlier process made for the next segment: a full disk has no room for another. */
  adopt(number: number, bytes: number): void {
    this.#spare = { number, bytes: Promise.resolve(bytes) }
  }

  /** Begins to make the file that follows this segment. */
  makeNext({ number, bytes }: SegmentHead): void {
    this.#spare = this.#prepareSpare(number + 1, Math.min(this.#sizes.largest, 2 * bytes))
  }

  async giveUp(segment: SegmentHead): Promise<void> {
    const file = segmentFile(this.#folder, segment.number)
    const isLarge = segment.bytes === this.#sizes.largest
    if (!isLarge || segment.number < this.#reusedFrom || this.#kept.length === maxKept) return rm(file)
    const kept = keptFile(this.#folder, segment)
    await rename(file, kept)
    // `reuseFrom` may have been called during the rename.
    if (segment.number < this.#reusedFrom) return rm(kept)
    this.#kept.push(segment)
  }

  /** From now on no file of an earlier segment is used again; the files kept for that are removed. */
  async reuseFrom(number: number): Promise<void> {
    this.#reusedFrom = number
    const spare = this.#spare
    this.#spare = undefined
    if ((await spare?.bytes.catch(() => undefined)) !== undefined) {
      await rm(segmentFile(this.#folder, spare!.number))
    }
    for (const kept of this.#kept.splice(0)) await rm(keptFile(this.#folder, kept))
  }

  async close(): Promise<void> {
    await this.#spare?.bytes.catch(() => undefined)
  }

  #prepareSpare(number: number, bytes: number) {
    const spare = { number, bytes: this.#prepare(number, bytes, this.#sizes.smallest) }
    spare.bytes.catch(() => {
      if (this.#spare === spare) this.#spare = undefined
    })
    return spare
  }

  /** How large a file can be: as wanted, then half of that and so on while the disk has too little room. */
  async #fit(wanted: number, least: number): Promise<number> {
    const disk = await this.#lookAtDisk(this.#folder)
    const room = disk.free - leftFree(disk)
    let bytes = wanted
    while (bytes > room && bytes / 2 >= Math.max(1, least)) bytes = Math.floor(bytes / 2)
    if (bytes > room) throw new Error('The disk has no room for another file of the write-ahead log.')
    return bytes
  }

  /** Fills a segment's file with zeros: a full disk shows here, before a client is promised anything. */
  async #prepare(number: number, wanted: number, least: number): Promise<number> {
    const kept = wanted <= this.#sizes.largest ? this.#kept.pop() : undefined
    if (kept !== undefined) {
      await rename(keptFile(this.#folder, kept), segmentFile(this.#folder, number))
      await syncFolder(this.#folder)
      return kept.bytes
    }
    const bytes = await this.#fit(wanted, least)
    const unfinished = join(this.#folder, 'new')
    const handle = await open(unfinished, 'w', 0o600)
    try {
      const zeros = Buffer.alloc(filledAtOnce)
      for (let at = 0; at < bytes; at += zeros.length) {
        await handle.write(zeros, 0, Math.min(zeros.length, bytes - at), at)
        await handle.datasync()
      }
    } catch (error) {
      // On a full disk the log and DuckDB need the room that the zeros take.
      await handle.truncate().catch(() => undefined)
      throw error
    } finally {
      await handle.close()
    }
    await putInPlace(unfinished, segmentFile(this.#folder, number))
    return bytes
  }
}

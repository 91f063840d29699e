import { readdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, lookAtDisk } from '../store/DiskRoom.js'
import { syncFolder } from '../store/syncFolder.js'
import type { SegmentHead } from './segment.js'
import { putInPlace } from '../store/writeWhole.js'

/** How large the first segment is, and the largest. */
export interface SegmentSizes {
  smallest: number
  largest: number
}

/** At 45 MB/s, which is what two cores accept, the largest lasts more than a second. */
const usualSizes: SegmentSizes = { smallest: 2 ** 20, largest: 2 ** 26 }

/** On a small disk the files that are written, made and kept, up to six of the largest, shall take a tenth of it. */
export const sizesFor = ({ total }: Disk): SegmentSizes => ({
  ...usualSizes,
  largest: Math.max(
    usualSizes.smallest,
    Math.min(usualSizes.largest, 2 ** Math.floor(Math.log2(total / 60))),
  ),
})

/** No file is made where it would leave less: DuckDB needs it to store what the log holds, and so to shorten the log. */
const leftFree = ({ total }: Disk) => Math.min(2 ** 24, total / 20)

/** Segments of the largest size that are kept to be used again. */
const maxKept = 4

export const segmentFile = (folder: string, number: number): string =>
  join(folder, `${String(number).padStart(10, '0')}.wal`)

/** The numbers of the segments in a folder, oldest first. */
export const listSegments = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => (/^\d{10}\.wal$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .toSorted((a, b) => a - b)

const keptFile = (folder: string, { number }: SegmentHead) => join(folder, `${number}.kept`)

/** Zeros that go to the disk together. A write of the log that comes meanwhile waits for them: for 64 MiB up to 40 ms. */
const filledAtOnce = 2 ** 21

/**
 * The files of segments before and after they hold rows. They are filled with zeros before they are
 * used, and the largest are used again.
 */
export class SegmentFiles {
  readonly #folder: string
  readonly #sizes: SegmentSizes
  readonly #look: (path: string) => Promise<Disk>
  /** Segments before this one are not used again. */
  #reusedFrom: number
  /** The file that is to be the next segment, once there is one. */
  #spare: { number: number; bytes: Promise<number> } | undefined
  /** Files that were segments, to be used again without being filled. */
  readonly #kept: SegmentHead[] = []

  /** `newest` is the last segment of an earlier process: what those held does not go into another one. */
  constructor(folder: string, sizes: SegmentSizes, newest: number, look = lookAtDisk) {
    this.#folder = folder
    this.#look = look
    this.#sizes = sizes
    this.#reusedFrom = newest + 1
  }

  /** Makes the file of a segment that takes at least so many bytes; gives how many it takes. */
  async make(number: number, leastBytes: number): Promise<number> {
    const spare = this.#spare?.number === number ? await this.#spare.bytes.catch(() => 0) : 0
    if (spare > 0 && spare >= leastBytes) return spare
    return this.#prepare(number, Math.max(this.#sizes.smallest, leastBytes), leastBytes)
  }

  /** Takes a file that an earlier process has made for the next segment: on a full disk there is no other. */
  adopt(number: number, bytes: number): void {
    this.#spare = { number, bytes: Promise.resolve(bytes) }
  }

  /** Begins to make the file after that of a segment, which is given away. */
  makeNext({ number, bytes }: SegmentHead): void {
    this.#spare = this.#prepareSpare(number + 1, Math.min(this.#sizes.largest, 2 * bytes))
  }

  async giveUp(segment: SegmentHead): Promise<void> {
    const file = segmentFile(this.#folder, segment.number)
    const isLarge = segment.bytes === this.#sizes.largest
    if (!isLarge || segment.number < this.#reusedFrom || this.#kept.length === maxKept) return rm(file)
    const kept = keptFile(this.#folder, segment)
    await rename(file, kept)
    // What may be used again can have changed meanwhile.
    if (segment.number < this.#reusedFrom) return rm(kept)
    this.#kept.push(segment)
  }

  /** No segment before this one is used again, and the files that were meant for it are removed. */
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

  /** How large a file can be: as wanted, or half of that and so on while the disk has too little room. */
  async #fit(wanted: number, least: number): Promise<number> {
    const disk = await this.#look(this.#folder)
    const room = disk.free - leftFree(disk)
    let bytes = wanted
    while (bytes > room && bytes / 2 >= Math.max(1, least)) bytes = Math.floor(bytes / 2)
    if (bytes > room) throw new Error('The disk has no room for another file of the write-ahead log.')
    return bytes
  }

  /** Fills the file of a segment with zeros; a full disk shows here, before anything is promised. */
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
      // What it holds is missed elsewhere.
      await handle.truncate().catch(() => undefined)
      throw error
    } finally {
      await handle.close()
    }
    await putInPlace(unfinished, segmentFile(this.#folder, number))
    return bytes
  }
}

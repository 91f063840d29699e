import { readdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../store/syncFolder.js'
import type { SegmentHead } from './segment.js'

/** How large the first segment is, and the largest. */
export interface SegmentSizes {
  smallest: number
  largest: number
}

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
  /** Segments before this one are not used again. */
  #reusedFrom: number
  /** The file that is to be the next segment, once there is one. */
  #spare: { number: number; bytes: Promise<number> } | undefined
  /** Files that were segments, to be used again without being filled. */
  readonly #kept: SegmentHead[] = []

  /** `newest` is the last segment of an earlier process: what those held does not go into another one. */
  constructor(folder: string, sizes: SegmentSizes, newest: number) {
    this.#folder = folder
    this.#sizes = sizes
    this.#reusedFrom = newest + 1
  }

  /** Makes the file of a segment that takes at least so many bytes; gives how many it takes. */
  async make(number: number, leastBytes: number): Promise<number> {
    this.#spare ??= this.#prepareSpare(number, Math.max(this.#sizes.smallest, leastBytes))
    const bytes = await this.#spare.bytes
    return bytes < leastBytes ? this.#prepare(number, leastBytes) : bytes
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
    const spare = { number, bytes: this.#prepare(number, bytes) }
    spare.bytes.catch(() => {
      if (this.#spare === spare) this.#spare = undefined
    })
    return spare
  }

  /** Fills the file of a segment with zeros; a full disk shows here, before anything is promised. */
  async #prepare(number: number, bytes: number): Promise<number> {
    const kept = bytes <= this.#sizes.largest ? this.#kept.pop() : undefined
    if (kept !== undefined) {
      await rename(keptFile(this.#folder, kept), segmentFile(this.#folder, number))
      await syncFolder(this.#folder)
      return kept.bytes
    }
    const unfinished = join(this.#folder, 'new')
    const handle = await open(unfinished, 'w', 0o600)
    try {
      const zeros = Buffer.alloc(filledAtOnce)
      for (let at = 0; at < bytes; at += zeros.length) {
        await handle.write(zeros, 0, Math.min(zeros.length, bytes - at), at)
        await handle.datasync()
      }
    } finally {
      await handle.close()
    }
    await rename(unfinished, segmentFile(this.#folder, number))
    await syncFolder(this.#folder)
    return bytes
  }
}

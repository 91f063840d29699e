import { open, type FileHandle } from 'node:fs/promises'
import {
  frameLength,
  headBytes,
  lastOf,
  readFrame,
  readHead,
  type LogEntry,
  type SegmentHead,
} from './segment.js'
import { restOf, startOf } from './splitEntry.js'
import { listSegments, segmentFile } from './SegmentFiles.js'

/** A lone row needs few bytes; a backlog is read in pieces that grow. */
const readBytes = { first: 2 ** 17, most: 2 ** 22 }

interface ReadPosition extends SegmentHead {
  handle: FileHandle
  at: number
  /** The last row before that place. */
  last: number
  /** Up to where the frame at that place was given; the same where nothing of it was. */
  given: number
}

/** A larger request is given whole: its rows one by one would take longer than they save. */
const maxCutRows = 1000

/** Follows a write-ahead log that another process may be writing. */
export class LogReader {
  readonly #folder: string
  readonly #durable: () => number
  #place: ReadPosition | undefined

  constructor(folder: string, durable: () => number) {
    this.#folder = folder
    this.#durable = durable
  }

  /** The newest row that the writer has said to be on disk. What comes after it nobody may rely on. */
  get last(): number {
    return this.#durable()
  }

  /**
   * Entries after a sequence, oldest first: at least one, and of one kind as many rows as asked for, where
   * there are so many. A large request may go beyond that, and one write beyond the bytes.
   */
  async read(after: number, maxRows: number, maxBytes: number): Promise<LogEntry[]> {
    const through = this.last
    const entries: LogEntry[] = []
    if (after >= through) return entries
    let place = this.#place?.given === after ? this.#place : await this.#seek(after)
    const rows = new Map<string, number>()
    let bytes = 0
    let chunkBytes = readBytes.first
    while (place.last < through && bytes < maxBytes) {
      const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, place.bytes - place.at)))
      const { bytesRead } = await place.handle.read(chunk, 0, chunk.length, place.at)
      const read = chunk.subarray(0, bytesRead)
      let at = 0
      while (place.last < through && bytes < maxBytes) {
        const frame = readFrame(read, at, place.salt)
        if (frame === undefined) break
        if (frame.last > through) {
          place.at += at
          return entries
        }
        // A part of an entry may have been stored apart from the others.
        for (const entry of frame.entries.flatMap((each) => restOf(each, after))) {
          const taken = rows.get(entry.kind) ?? 0
          if (taken >= maxRows || (taken + entry.count > maxRows && entry.count <= maxCutRows)) {
            entries.push(...startOf(entry, maxRows - taken))
            place.at += at
            place.given = lastOf(entries.at(-1)!)
            return entries
          }
          entries.push(entry)
          rows.set(entry.kind, taken + entry.count)
        }
        // What was stored before is only passed by.
        if (entries.length > 0) bytes += frame.end - at
        at = frame.end
        place.last = place.given = frame.last
      }
      place.at += at
      if (at > 0) {
        chunkBytes = Math.max(chunkBytes, Math.min(4 * chunkBytes, readBytes.most))
        continue
      }
      const length = frameLength(read, 0, place.salt)
      if (length !== undefined && length > chunkBytes && place.at + length <= place.bytes) chunkBytes = length
      else place = await this.#enter(place.number + 1, place.last)
    }
    return entries
  }

  async close(): Promise<void> {
    await this.#place?.handle.close()
    this.#place = undefined
  }

  /** The segment that holds the row after a sequence. */
  async #seek(after: number): Promise<ReadPosition> {
    let found: ReadPosition | undefined
    for (const number of listSegments(this.#folder)) {
      const place = await this.#open(number)
      if (place !== undefined && place.before <= after) {
        await found?.handle.close()
        found = place
      } else await place?.handle.close()
    }
    if (found === undefined)
      throw new Error(`The write-ahead log in ${this.#folder} no longer holds row ${after + 1}.`)
    await this.close()
    return (this.#place = found)
  }

  async #enter(number: number, last: number): Promise<ReadPosition> {
    const next = await this.#open(number)
    if (next?.before !== last) {
      await next?.handle.close()
      throw new Error(`The write-ahead log in ${this.#folder} is damaged after row ${last}.`)
    }
    await this.close()
    return (this.#place = next)
  }

  /** Undefined for a segment that is not there, or not yet in use. */
  async #open(number: number): Promise<ReadPosition | undefined> {
    const handle = await open(segmentFile(this.#folder, number), 'r').catch(() => undefined)
    if (handle === undefined) return undefined
    const head = Buffer.alloc(headBytes)
    await handle.read(head, 0, headBytes, 0)
    const known = readHead(head)
    if (known?.number === number)
      return { ...known, handle, at: headBytes, last: known.before, given: known.before }
    await handle.close()
    return undefined
  }
}

import { open, type FileHandle } from 'node:fs/promises'
import {
  frameLength,
  headBytes,
  lastOf,
  type LogEntry,
  readFrame,
  readHead,
  restOf,
  type SegmentHead,
  startOf,
} from './segment.js'
import { listSegments, segmentFile } from './SegmentFiles.js'

/** The first read is small because often one row waits; a backlog is read in pieces that grow. */
const readBytes = { first: 2 ** 17, most: 2 ** 22 }

interface ReadPosition extends SegmentHead {
  handle: FileHandle
  /** The offset of the next frame. */
  at: number
  /** The last row before that frame. */
  last: number
  /** The last row that was given: equal to `last`, or a row of the next frame when only its start was given. */
  given: number
}

/** A larger request is given whole: to split it into rows would take longer than the smaller batch saves. */
const maxCutRows = 1000

/** Follows a write-ahead log that another process may be writing. */
export class LogReader {
  readonly #folder: string
  readonly #durable: () => number
  #position: ReadPosition | undefined

  constructor(folder: string, durable: () => number) {
    this.#folder = folder
    this.#durable = durable
  }

  /** The newest row that the writer has said to be on disk; rows after it must not be relied on. */
  get last(): number {
    return this.#durable()
  }

  /**
   * Entries after a sequence, oldest first: at least one, and up to `maxRows` rows of each kind. One large request may
   * go beyond the rows, and one frame beyond the bytes.
   */
  async read(after: number, maxRows: number, maxBytes: number): Promise<LogEntry[]> {
    const through = this.last
    const entries: LogEntry[] = []
    if (after >= through) return entries
    let position = this.#position?.given === after ? this.#position : await this.#seek(after)
    const rows = new Map<string, number>()
    let bytes = 0
    let chunkBytes = readBytes.first
    while (position.last < through && bytes < maxBytes) {
      const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, position.bytes - position.at)))
      const { bytesRead } = await position.handle.read(chunk, 0, chunk.length, position.at)
      const read = chunk.subarray(0, bytesRead)
      let at = 0
      while (position.last < through && bytes < maxBytes) {
        const frame = readFrame(read, at, position.salt)
        if (frame === undefined) break
        if (frame.last > through) {
          position.at += at
          return entries
        }
        // The first rows of an entry may be stored already: the applier can split a batch inside it.
        for (const entry of frame.entries.flatMap((each) => restOf(each, after))) {
          const rowsOfKind = rows.get(entry.kind) ?? 0
          if (rowsOfKind >= maxRows || (rowsOfKind + entry.count > maxRows && entry.count <= maxCutRows)) {
            entries.push(...startOf(entry, maxRows - rowsOfKind))
            position.at += at
            position.given = lastOf(entries.at(-1)!)
            return entries
          }
          entries.push(entry)
          rows.set(entry.kind, rowsOfKind + entry.count)
        }
        // Frames that are stored already are only passed over, so they do not count.
        if (entries.length > 0) bytes += frame.end - at
        at = frame.end
        position.last = position.given = frame.last
      }
      position.at += at
      if (at > 0) {
        chunkBytes = Math.max(chunkBytes, Math.min(4 * chunkBytes, readBytes.most))
        continue
      }
      const length = frameLength(read, 0, position.salt)
      if (length !== undefined && length > chunkBytes && position.at + length <= position.bytes)
        chunkBytes = length
      else position = await this.#enter(position.number + 1, position.last)
    }
    return entries
  }

  async close(): Promise<void> {
    await this.#position?.handle.close()
    this.#position = undefined
  }

  /** The segment that holds the row after a sequence. */
  async #seek(after: number): Promise<ReadPosition> {
    let found: ReadPosition | undefined
    for (const number of listSegments(this.#folder)) {
      const position = await this.#open(number)
      if (position !== undefined && position.before <= after) {
        await found?.handle.close()
        found = position
      } else await position?.handle.close()
    }
    if (found === undefined)
      throw new Error(`The write-ahead log in ${this.#folder} no longer holds row ${after + 1}.`)
    await this.close()
    return (this.#position = found)
  }

  async #enter(number: number, last: number): Promise<ReadPosition> {
    const next = await this.#open(number)
    if (next?.before !== last) {
      await next?.handle.close()
      throw new Error(`The write-ahead log in ${this.#folder} is damaged after row ${last}.`)
    }
    await this.close()
    return (this.#position = next)
  }

  /** Undefined when the segment does not exist or is not in use yet. */
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

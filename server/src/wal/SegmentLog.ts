import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { damaged } from '../store/StoreError.js'
import {
  createSalt,
  frameLength,
  headBytes,
  readHead,
  scanSegment,
  writeFrame,
  writeHead,
  type LogRecord,
  type SegmentHead,
} from './segment.js'

/** At 45 MB/s, which is what two cores accept, the largest lasts more than a second. */
const usualBytes = { smallest: 2 ** 20, largest: 2 ** 26 }
/** What one write takes at most, unless a single record is larger. */
const maxWriteBytes = 2 ** 22

export const segmentFile = (folder: string, number: number): string =>
  join(folder, `${String(number).padStart(10, '0')}.wal`)

const broken = (file: string, what: string) => damaged(`the write-ahead log ${file} ${what}`)

/** A file name is on disk only once its folder is; Windows cannot open folders, and needs not. */
const syncFolder = async (folder: string) => {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

/** The numbers of the segments in a folder, oldest first. */
export const listSegments = async (folder: string): Promise<number[]> =>
  (await readdir(folder))
    .flatMap((name) => (/^\d{10}\.wal$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .toSorted((a, b) => a - b)

interface Waiting {
  record: LogRecord
  resolve(last: number): void
  reject(error: unknown): void
}

interface Found {
  live: SegmentHead[]
  last: number
  bodyBytes: number
}

interface Current extends SegmentHead {
  handle: FileHandle
  /** Where the next frame goes. */
  end: number
}

/**
 * What is in it was promised to a client and is not yet, or not yet surely, in DuckDB. One process
 * writes; `LogReader` follows in the same or another one. Segments are filled with zeros before they
 * are used, and used again, so that a write changes nothing but contents and O_DSYNC waits for one
 * round to the disk.
 */
export class SegmentLog {
  readonly #folder: string
  readonly #sizes: typeof usualBytes
  /** The segments that hold rows, oldest first; the last of them is being written. */
  readonly #live: SegmentHead[]
  #current: Current | undefined
  #last: number
  #bodyBytes: number
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  /** The file that is to be the next segment. */
  #spare: Promise<number> | undefined
  #closed = false

  private constructor(folder: string, sizes: typeof usualBytes, found: Found) {
    this.#folder = folder
    this.#sizes = sizes
    this.#live = found.live
    this.#last = found.last
    this.#bodyBytes = found.bodyBytes
  }

  /** Reads all of the log. A new one begins behind `before`. */
  static async open(folder: string, before = 0, sizes = usualBytes): Promise<SegmentLog> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const live: SegmentHead[] = []
    const spares: number[] = []
    let [last, end, bodyBytes] = [before, headBytes, 0]
    for (const number of await listSegments(folder)) {
      const file = segmentFile(folder, number)
      const bytes = await readFile(file)
      const head = readHead(bytes)
      if (
        head === undefined &&
        (bytes.length < headBytes || bytes.some((byte, at) => at < headBytes && byte !== 0))
      )
        throw broken(file, 'is overwritten')
      if (head?.number !== number) {
        spares.push(number)
        continue
      }
      const previous = live.at(-1)
      if (bytes.length !== head.bytes) throw broken(file, 'is cut off')
      if (spares.length > 0) throw broken(segmentFile(folder, spares[0]!), 'is overwritten')
      if (previous !== undefined && (previous.number !== number - 1 || head.before !== last))
        throw broken(segmentFile(folder, previous.number), 'has lost its end')
      const scan = scanSegment(bytes, head)
      if (scan.broken) throw broken(file, 'is overwritten in the middle')
      live.push(head)
      ;({ last, end } = scan)
      bodyBytes += scan.bodyBytes
    }
    for (const number of spares) await rm(segmentFile(folder, number))
    await rm(join(folder, 'new'), { force: true })
    const log = new SegmentLog(folder, sizes, { live, last, bodyBytes })
    await log.#resume(end)
    return log
  }

  /** The sequence of the newest row that is on disk. */
  get last(): number {
    return this.#last
  }

  /** The sequence before the oldest row that is still there: all up to it must be in DuckDB. */
  get before(): number {
    return this.#live[0]!.before
  }

  /** Bytes of all bodies since the log was opened, those that it held then included. */
  get bodyBytes(): number {
    return this.#bodyBytes
  }

  /** Resolves with the sequence of the record's last row once it is on disk. */
  append(record: LogRecord): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('The write-ahead log is closed.')
      this.#waiting.push({ record, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  /** Gives up the segments whose rows are all up to this sequence; one is used again. */
  async trim(through: number): Promise<void> {
    let removed = false
    while (this.#live.length > 1 && this.#live[1]!.before <= through) {
      const { number, bytes } = this.#live.shift()!
      const file = segmentFile(this.#folder, number)
      removed = true
      if (this.#spare === undefined && bytes >= this.#live.at(-1)!.bytes) {
        const next = this.#live.at(-1)!.number + 1
        this.#spare = rename(file, segmentFile(this.#folder, next)).then(() => bytes)
        await this.#spare.catch(() => (this.#spare = undefined))
      } else await rm(file)
    }
    if (removed) await syncFolder(this.#folder)
  }

  /** Waits for what is being written. An empty frame says that the one before it was whole. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#writing
    await this.#spare?.catch(() => undefined)
    const { handle, salt, end, bytes } = this.#current!
    const [frame] = writeFrame(salt, this.#last + 1, [])
    if (end + frame!.length <= bytes) await handle.write(frame!, 0, frame!.length, end).catch(() => undefined)
    await handle.close()
  }

  async #writeAll() {
    // At the end of this turn of the event loop, which may bring more.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      let [count, bytes] = [0, 0]
      while (count < this.#waiting.length && (count === 0 || bytes < maxWriteBytes)) {
        bytes += this.#waiting[count++]!.record.body.length
      }
      const group = this.#waiting.splice(0, count)
      try {
        const records = group.map(({ record }) => record)
        await this.#write(records)
        for (const { record, resolve } of group) {
          this.#last += record.count
          this.#bodyBytes += record.body.length
          resolve(this.#last)
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#writing = undefined
  }

  async #write(records: readonly LogRecord[]) {
    let parts = writeFrame(this.#current!.salt, this.#last + 1, records)
    const bytes = frameLength(parts[0]!, 0, this.#current!.salt)!
    if (this.#current!.end + bytes > this.#current!.bytes) {
      await this.#begin(bytes)
      parts = writeFrame(this.#current!.salt, this.#last + 1, records)
    }
    const current = this.#current!
    const { bytesWritten } = await current.handle.writev(parts, current.end)
    if (bytesWritten !== bytes) throw new Error('The disk took only a part of a write.')
    current.end += bytes
  }

  /** Goes on in the last segment, or makes the first one. */
  async #resume(end: number) {
    const head = this.#live.at(-1)
    if (head === undefined) return this.#begin(0)
    const file = segmentFile(this.#folder, head.number)
    this.#current = { ...head, handle: await open(file, constants.O_RDWR | constants.O_DSYNC), end }
  }

  /** Goes on in a new segment, which holds at least a frame of so many bytes. */
  async #begin(frame: number) {
    const number = (this.#live.at(-1)?.number ?? 0) + 1
    const spare = this.#spare ?? this.#prepare(number, Math.max(this.#sizes.smallest, headBytes + frame))
    this.#spare = undefined
    let bytes = await spare
    if (bytes < headBytes + frame) bytes = await this.#prepare(number, headBytes + frame)
    const head = { number, salt: createSalt(), bytes, before: this.#last }
    const file = segmentFile(this.#folder, number)
    const handle = await open(file, constants.O_RDWR | constants.O_DSYNC)
    await handle.write(writeHead(head), 0, headBytes, 0)
    await this.#current?.handle.close()
    this.#current = { ...head, handle, end: headBytes }
    this.#live.push(head)
    this.#spare = this.#prepare(number + 1, Math.min(this.#sizes.largest, 2 * bytes))
    this.#spare.catch(() => (this.#spare = undefined))
  }

  /** Fills the file of a segment with zeros; a full disk shows here, before anything is promised. */
  async #prepare(number: number, bytes: number): Promise<number> {
    const unfinished = join(this.#folder, 'new')
    const handle = await open(unfinished, 'w', 0o600)
    try {
      const zeros = Buffer.alloc(2 ** 20)
      for (let at = 0; at < bytes; at += zeros.length) {
        await handle.write(zeros, 0, Math.min(zeros.length, bytes - at), at)
      }
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(unfinished, segmentFile(this.#folder, number))
    await syncFolder(this.#folder)
    return bytes
  }
}

import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { putInPlace } from '../disk/writeWhole.js'

/*
 * A run is a file of sorted ids that never changes. An id is DuckDB's hash of an environment, an event's name and an insert id.
 *
 * | offset | length | meaning |
 * |---|---|---|
 * | 0 | 4 | 0x69646d77 |
 * | 4 | 4 | the version of this layout, 2 |
 * | 8 | 8 | what `hashSample` gave when the ids were made, as an unsigned number |
 * | 16 | 8 | the sequence of the last row before the run, as a double |
 * | 24 | 8 | the sequence of its last row, as a double |
 * | 32 | 8 | when the first of its rows was received: Unix milliseconds, as a double |
 * | 40 | 8 | when the last of its rows was received: Unix milliseconds, as a double |
 * | 48 | 8 | the number n of ids, as a double |
 * | 56 | 4 | CRC-32 of filter, first ids and checksums, one after the other |
 * | 60 | 4 | CRC-32 of the bytes 0 to 59 |
 * | 64 | f = 64 × ⌈n / 32⌉, at least 64 | the filter: 16 words of 32 bits for each 32 ids |
 * | 64 + f | s = 4 × ⌈n / 512⌉ | the upper half of the first id of each block of 512 ids |
 * | 64 + f + s | s | CRC-32 of each block |
 * | 64 + f + 2s | 8 × n | the ids, sorted, as unsigned numbers |
 *
 * Numbers in the head are little-endian; after the head they have the byte order of the processor.
 * Check: all before the ids when the file is opened, and a block each time it is read.
 * Another version, a wrong checksum, or ids of a DuckDB that hashes differently: the file is removed, and its ids are
 * made anew from the events in DuckDB.
 */

/** What a run covers: the rows after `after` and up to `through`, received from `fromMs` to `toMs`. */
export interface RunSpan {
  /** What `hashSample` gave when the ids were made. */
  hash: bigint
  after: number
  through: number
  fromMs: number
  toMs: number
  count: number
}

const magic = 0x69646d77
const layoutVersion = 2
const headBytes = 64
const checksumAt = headBytes - 4
const bodyChecksumAt = checksumAt - 4
const idBytes = 8
/** This many ids are read together: 4 KiB. */
const blockIds = 512
/** The filter has 16 bits for each id, and each id sets 8 of them: one of some 700 unknown ids is looked up in vain. */
const filterIds = 32
const filterWords = 16
const bitsPerId = 8

/** A file of ids is not as it was written. */
export class DamagedIds extends Error {
  constructor(file: string) {
    super(`The file of insert ids ${file} is damaged.`)
    this.name = 'DamagedIds'
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | BigUint64Array) =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** The checksum of what is between the head and the ids. */
const sumOf = (parts: readonly Uint32Array[]): number =>
  parts.reduce((sum, part) => crc32(bytesOf(part), sum), 0)

const writeHead = (span: RunSpan, bodySum: number): Buffer => {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(magic, 0)
  head.writeUInt32LE(layoutVersion, 4)
  head.writeBigUInt64LE(span.hash, 8)
  const numbers = [span.after, span.through, span.fromMs, span.toMs, span.count]
  for (const [at, number] of numbers.entries()) head.writeDoubleLE(number, 16 + 8 * at)
  head.writeUInt32LE(bodySum, bodyChecksumAt)
  head.writeUInt32LE(crc32(head.subarray(0, checksumAt)), checksumAt)
  return head
}

const readHead = (head: Buffer): RunSpan | undefined => {
  const isWhole = crc32(head.subarray(0, checksumAt)) === head.readUInt32LE(checksumAt)
  if (head.readUInt32LE(0) !== magic || head.readUInt32LE(4) !== layoutVersion || !isWhole) return undefined
  const [after, through, fromMs, toMs, count] = [16, 24, 32, 40, 48].map((at) => head.readDoubleLE(at))
  return {
    hash: head.readBigUInt64LE(8),
    after: after!,
    through: through!,
    fromMs: fromMs!,
    toMs: toMs!,
    count: count!,
  }
}

const filterLength = (count: number) => filterWords * Math.max(1, Math.ceil(count / filterIds))
const blocksOf = (count: number) => Math.ceil(count / blockIds)

/** The index of the first word of an id's part of the filter. Sorted ids have their parts in order. */
const partOf = (high: number, words: number) =>
  filterWords * Math.floor(high * (words / filterWords / 2 ** 32))

/** The functions give numbers whose lowest nine bits choose one of the 512 bits of a part. */
const firstBit = (low: number, high: number) => Math.imul(low ^ (high << 7), 0x9e3779b1)
const nextBit = (bits: number, low: number) => Math.imul(bits ^ (bits >>> 9) ^ low, 0x85ebca6b)

/** One file of sorted ids. The filter, and the first id and the checksum of each block, are in memory. */
export class IdRun {
  readonly file: string
  readonly span: RunSpan
  readonly #filter: Uint32Array
  /** The upper half of the first id of each block. */
  readonly #starts: Uint32Array
  /** The checksum of each block. */
  readonly #sums: Uint32Array
  readonly #handle: number
  readonly #idsAt: number
  readonly #block = new Uint32Array(2 * blockIds)

  private constructor(file: string, span: RunSpan, handle: number) {
    this.file = file
    this.span = span
    this.#handle = handle
    this.#filter = new Uint32Array(filterLength(span.count))
    this.#starts = new Uint32Array(blocksOf(span.count))
    this.#sums = new Uint32Array(blocksOf(span.count))
    this.#idsAt = headBytes
    for (const part of this.#tables) {
      readSync(handle, part, 0, part.byteLength, this.#idsAt)
      this.#idsAt += part.byteLength
    }
  }

  get #tables(): readonly Uint32Array[] {
    return [this.#filter, this.#starts, this.#sums]
  }

  /** Opens a run; undefined when the file is none of this layout or is damaged before its ids. */
  static open(file: string): IdRun | undefined {
    const handle = openSync(file, 'r')
    const head = Buffer.alloc(headBytes)
    const span = readSync(handle, head, 0, headBytes, 0) === headBytes ? readHead(head) : undefined
    const run = span && new IdRun(file, span, handle)
    if (run !== undefined && sumOf(run.#tables) === head.readUInt32LE(bodyChecksumAt)) return run
    closeSync(handle)
    return undefined
  }

  /** Writes sorted ids, part by part. The file gets its name only once it is whole and on disk. */
  static async write(
    file: string,
    span: RunSpan,
    parts: Iterable<BigUint64Array> | AsyncIterable<BigUint64Array>,
  ): Promise<IdRun> {
    const unfinished = `${file}.new`
    const handle = await open(unfinished, 'w', 0o600)
    try {
      await IdRun.#fill(handle, span, parts)
    } catch (error) {
      // On a full disk the logs need the room that an unfinished file takes.
      await rm(unfinished, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    await putInPlace(unfinished, file)
    return IdRun.open(file)!
  }

  static async #fill(
    handle: FileHandle,
    span: RunSpan,
    parts: Iterable<BigUint64Array> | AsyncIterable<BigUint64Array>,
  ) {
    const filter = new Uint32Array(filterLength(span.count))
    const starts = new Uint32Array(blocksOf(span.count))
    const sums = new Uint32Array(blocksOf(span.count))
    const idsAt = headBytes + filter.byteLength + starts.byteLength + sums.byteLength
    let written = 0
    for await (const ids of parts) {
      const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length)
      for (let at = 0; at < halves.length; at += 2) {
        const [low, high] = [halves[at]!, halves[at + 1]!]
        const index = written + (at >> 1)
        if (index % blockIds === 0) starts[index / blockIds] = high
        const part = partOf(high, filter.length)
        let bits = firstBit(low, high)
        for (let bit = 0; bit < bitsPerId; bit++) {
          filter[part + ((bits >>> 5) & 15)]! |= 1 << (bits & 31)
          bits = nextBit(bits, low)
        }
      }
      for (let at = 0; at < ids.length;) {
        const block = Math.floor((written + at) / blockIds)
        const end = Math.min(ids.length, (block + 1) * blockIds - written)
        sums[block] = crc32(bytesOf(ids.subarray(at, end)), sums[block])
        at = end
      }
      await handle.write(halves, 0, halves.byteLength, idsAt + written * idBytes)
      written += ids.length
    }
    const tables = [filter, starts, sums]
    await handle.write(writeHead(span, sumOf(tables)), 0, headBytes, 0)
    let at = headBytes
    for (const part of tables) {
      await handle.write(part, 0, part.byteLength, at)
      at += part.byteLength
    }
  }

  /**
   * Adds to `found` the indexes of those sorted ids that are in this file; `halves` holds each id as two numbers. Throws
   * DamagedIds, as `read` does.
   */
  seen(halves: Uint32Array, found: number[]): void {
    const filter = this.#filter
    const partsPerHigh = filter.length / filterWords / 2 ** 32
    // Most ids are ruled out by their first or second bit, so the work before that decides how long this takes.
    for (let at = 0; at < halves.length; at += 2) {
      const low = halves[at]!
      const high = halves[at + 1]!
      const part = filterWords * Math.floor(high * partsPerHigh)
      let bits = firstBit(low, high)
      let left = bitsPerId
      while (left > 0 && (filter[part + ((bits >>> 5) & 15)]! & (1 << (bits & 31))) !== 0) {
        bits = nextBit(bits, low)
        left--
      }
      if (left === 0 && this.#has(low, high)) found.push(at >> 1)
    }
  }

  /** The sorted ids whose upper half is at least `from` and below `to`. */
  read(from: number, to: number): BigUint64Array {
    const [first, last] = [this.#blockBefore(from), this.#blockBefore(to)]
    const start = first * blockIds
    const ids = new BigUint64Array(Math.min(this.span.count, (last + 1) * blockIds) - start)
    readSync(this.#handle, ids, 0, ids.byteLength, this.#idsAt + start * idBytes)
    for (let at = 0; at < ids.length; at += blockIds)
      this.#check((start + at) / blockIds, bytesOf(ids.subarray(at, at + blockIds)))
    const halves = new Uint32Array(ids.buffer)
    let [begin, end] = [0, ids.length]
    while (begin < end && halves[2 * begin + 1]! < from) begin++
    while (end > begin && halves[2 * end - 1]! >= to) end--
    return ids.subarray(begin, end)
  }

  close(): void {
    closeSync(this.#handle)
  }

  remove(): void {
    this.close()
    rmSync(this.file, { force: true })
  }

  #has(low: number, high: number): boolean {
    // Several blocks may begin with the same upper half.
    for (let block = this.#blockBefore(high); block < this.#starts.length; block++) {
      if (this.#starts[block]! > high) return false
      const length = readSync(
        this.#handle,
        this.#block,
        0,
        Math.min(blockIds, this.span.count - block * blockIds) * idBytes,
        this.#idsAt + block * blockIds * idBytes,
      )
      this.#check(block, bytesOf(this.#block).subarray(0, length))
      for (let at = 0; at < length / 4; at += 2) {
        if (this.#block[at] === low && this.#block[at + 1] === high) return true
      }
    }
    return false
  }

  #check(block: number, bytes: Uint8Array): void {
    if (crc32(bytes) !== this.#sums[block]) throw new DamagedIds(this.file)
  }

  /** The last block that begins below an upper half, or the first one. */
  #blockBefore(high: number): number {
    let [low, end] = [0, this.#starts.length]
    while (low < end) {
      const middle = (low + end) >>> 1
      if (this.#starts[middle]! < high) low = middle + 1
      else end = middle
    }
    return Math.max(0, low - 1)
  }
}

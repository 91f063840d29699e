import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { splitArray } from '../http/json/sliceItems.js'

/*
 * A segment is a file of fixed size. It begins with a head, then come frames, one for each write, then whatever the
 * file held before. Numbers are little-endian.
 *
 * Head, at offset 0 of the file:
 *
 * | offset | length | meaning |
 * |---|---|---|
 * | 0 | 8 | `waymark1` |
 * | 8 | 8 | the salt: random bytes, new for each use of the file |
 * | 16 | 8 | the number of the segment, as a double |
 * | 24 | 8 | the length of the file, as a double |
 * | 32 | 8 | the sequence of the last row before this segment, as a double |
 * | 40 | 4 | CRC-32 of the bytes 0 to 39 |
 *
 * Frame, at 44 and then wherever the frame before it ends:
 *
 * | offset in the frame | length | meaning |
 * |---|---|---|
 * | 0 | 8 | the salt of the segment |
 * | 8 | 8 | the sequence of its first row, as a double |
 * | 16 | 4 | the length of the whole frame |
 * | 20 | 4 | the number of its entries |
 * | 24 | 4 | CRC-32 of the bytes 0 to 23 and of all entries |
 * | 28 | | the entries |
 *
 * Entry, at 28 of a frame and then wherever the entry before it ends:
 *
 * | offset in the entry | length | meaning |
 * |---|---|---|
 * | 0 | 8 | when the request was received: Unix milliseconds, as a double |
 * | 8 | 4 | the number of rows |
 * | 12 | 4 | the length l of the label |
 * | 16 | 4 | the length b of the body |
 * | 20 | l | the label, in UTF-8: the kind, then a space and the target if there is one |
 * | 20 + l | b | the body, a JSON array in UTF-8 |
 *
 * Check: head and frame count only with the right checksum, and a frame only with the salt of its own segment. So
 * neither an earlier use of the file nor anything that a client puts into a body can pass for a frame.
 * Another version: a head that is neither this one nor all zeros stops the start of the service (`scanLog`), and
 * nothing is changed.
 */

export interface LogRecord {
  kind: string
  /** How many rows the body holds. */
  count: number
  receivedAtMs: number
  /** A JSON array in UTF-8. */
  body: Buffer
  /** What the request says about all its rows, as JSON: where they go, or who sent them. */
  target?: string
}

export interface LogEntry extends LogRecord {
  /** The sequence of the first row; the others follow without a gap. */
  first: number
  /** The rows of the whole request, when this entry is only a part of it. */
  request?: { first: number; last: number }
  /** The row is tried by itself: what its request says about all rows need not be true of it. */
  isAlone?: true
}

export const lastOf = (entry: LogEntry): number => entry.first + entry.count - 1

export interface SegmentHead {
  number: number
  salt: Buffer
  bytes: number
  /** The sequence of the last row before this segment. */
  before: number
}

interface Frame {
  entries: LogEntry[]
  /** The sequence of its last row; an empty frame has the sequence of the row before it. */
  last: number
  /** Where the next frame starts. */
  end: number
}

const magic = Buffer.from('waymark1')
export const headBytes = 44
const frameBytes = 28
const entryBytes = 20

export const writeHead = ({ number, salt, bytes, before }: SegmentHead): Buffer => {
  const head = Buffer.alloc(headBytes)
  magic.copy(head)
  salt.copy(head, 8)
  head.writeDoubleLE(number, 16)
  head.writeDoubleLE(bytes, 24)
  head.writeDoubleLE(before, 32)
  head.writeUInt32LE(crc32(head.subarray(0, 40)), 40)
  return head
}

/** Undefined when the file is a spare one, or damaged. */
export const readHead = (head: Buffer): SegmentHead | undefined => {
  if (head.length < headBytes || !head.subarray(0, 8).equals(magic)) return undefined
  if (crc32(head.subarray(0, 40)) !== head.readUInt32LE(40)) return undefined
  const [number, bytes, before] = [head.readDoubleLE(16), head.readDoubleLE(24), head.readDoubleLE(32)]
  return { number, bytes, before, salt: Buffer.from(head.subarray(8, 16)) }
}

export const createSalt = (): Buffer => randomBytes(8)

const labelOf = ({ kind, target }: LogRecord) => (target === undefined ? kind : `${kind} ${target}`)

/** The length of the frame that holds these records, in bytes. */
export const sizeOfFrame = (records: readonly LogRecord[]): number => {
  let bytes = frameBytes
  for (const record of records) {
    bytes += entryBytes + Buffer.byteLength(labelOf(record)) + record.body.length
  }
  return bytes
}

export interface NewFrame {
  salt: Buffer
  first: number
  records: readonly LogRecord[]
}

/** Puts a frame together in one piece, because many small writes cost more than copying; gives where the frame ends. */
export const writeFrame = ({ salt, first, records }: NewFrame, into: Buffer): number => {
  let end = frameBytes
  for (const record of records) {
    const labelBytes = into.write(labelOf(record), end + entryBytes)
    into.writeDoubleLE(record.receivedAtMs, end)
    into.writeUInt32LE(record.count, end + 8)
    into.writeUInt32LE(labelBytes, end + 12)
    into.writeUInt32LE(record.body.length, end + 16)
    end += entryBytes + labelBytes
    end += record.body.copy(into, end)
  }
  salt.copy(into)
  into.writeDoubleLE(first, 8)
  into.writeUInt32LE(end, 16)
  into.writeUInt32LE(records.length, 20)
  into.writeUInt32LE(crc32(into.subarray(frameBytes, end), crc32(into.subarray(0, 24))), 24)
  return end
}

/** The length that a frame claims for itself, before its checksum is checked; undefined when no frame starts here. */
export const frameLength = (bytes: Buffer, at: number, salt: Buffer): number | undefined =>
  at + frameBytes <= bytes.length && bytes.compare(salt, 0, 8, at, at + 8) === 0
    ? bytes.readUInt32LE(at + 16)
    : undefined

/** The frame that starts at an offset; undefined when no whole frame does. Bodies are not copied. */
export const readFrame = (bytes: Buffer, start: number, salt: Buffer): Frame | undefined => {
  const length = frameLength(bytes, start, salt)
  if (length === undefined || length < frameBytes || start + length > bytes.length) return undefined
  const end = start + length
  const crc = crc32(bytes.subarray(start + frameBytes, end), crc32(bytes.subarray(start, start + 24)))
  if (crc !== bytes.readUInt32LE(start + 24)) return undefined
  let last = bytes.readDoubleLE(start + 8) - 1
  const entries: LogEntry[] = []
  for (let at = start + frameBytes; at < end;) {
    const count = bytes.readUInt32LE(at + 8)
    const bodyAt = at + entryBytes + bytes.readUInt32LE(at + 12)
    const [kind, ...target] = bytes.toString('utf8', at + entryBytes, bodyAt).split(' ')
    entries.push({
      kind: kind!,
      first: last + 1,
      count,
      receivedAtMs: bytes.readDoubleLE(at),
      body: bytes.subarray(bodyAt, bodyAt + bytes.readUInt32LE(at + 16)),
      ...(target.length > 0 ? { target: target.join(' ') } : {}),
    })
    last += count
    at = bodyAt + entries.at(-1)!.body.length
  }
  return { entries, last, end }
}

/** What is remembered of a record until it is applied. */
export interface Held {
  last: number
  bytes: number
}

interface Scan {
  last: number
  end: number
  held: Held[]
  /** A whole frame stands behind a broken one, which no cut-off write can leave. */
  isBroken: boolean
}

/** Follows the frames of a segment to their end. */
export const scanSegment = (bytes: Buffer, { salt, before }: SegmentHead): Scan => {
  const held: Held[] = []
  let [last, end] = [before, headBytes]
  for (let frame = readFrame(bytes, end, salt); frame !== undefined; frame = readFrame(bytes, end, salt)) {
    ;({ last, end } = frame)
    for (const entry of frame.entries) held.push({ last: lastOf(entry), bytes: entry.body.length })
  }
  // A frame is written only once the one before it is on disk, so a whole frame behind the end means damage.
  let isBroken = false
  for (let at = bytes.indexOf(salt, end + 1); at >= 0 && !isBroken; at = bytes.indexOf(salt, at + 1)) {
    isBroken = readFrame(bytes, at, salt) !== undefined
  }
  return { last, end, held, isBroken }
}

/** All whole frames of a segment, even those behind a broken one. */
export const wholeFrames = function* (bytes: Buffer, salt: Buffer): Generator<Frame> {
  for (let at = headBytes; at >= 0;) {
    const frame = readFrame(bytes, at, salt)
    if (frame !== undefined) yield frame
    at = frame?.end ?? bytes.indexOf(salt, at + 1)
  }
}

const [open, close, comma] = [Buffer.from('['), Buffer.from(']'), Buffer.from(',')]

/** An entry of some neighbouring rows of another entry; `at` is the index of the first of them. */
const partOf = (entry: LogEntry, at: number, rows: readonly Buffer[]): LogEntry => ({
  ...entry,
  first: entry.first + at,
  count: rows.length,
  body: Buffer.concat([open, ...rows.flatMap((row, n) => (n === 0 ? [row] : [comma, row])), close]),
  request: requestOf(entry),
})

/** Makes an entry of each row, so that rows can be tried one by one. */
export const rowsOf = (entry: LogEntry): LogEntry[] =>
  splitArray(entry.body).map((row, at) => ({ ...partOf(entry, at, [row]), isAlone: true }))

/** The first and last row of the request that an entry belongs to. */
export const requestOf = (entry: LogEntry): { first: number; last: number } =>
  entry.request ?? { first: entry.first, last: lastOf(entry) }

/** The part of an entry after a sequence: all of the entry, its end, or nothing. */
export const restOf = (entry: LogEntry, after: number): LogEntry[] => {
  if (entry.first > after) return [entry]
  if (lastOf(entry) <= after) return []
  const stored = after + 1 - entry.first
  return [partOf(entry, stored, splitArray(entry.body).slice(stored))]
}

/** The first `rows` rows of an entry; nothing when that is 0. */
export const startOf = (entry: LogEntry, rows: number): LogEntry[] =>
  rows <= 0 ? [] : [partOf(entry, 0, splitArray(entry.body).slice(0, rows))]

/** Cuts an entry into parts of at most `maxBytes`, each with at least one row. */
export const piecesOf = (entry: LogEntry, maxBytes: number): LogEntry[] => {
  if (entry.count === 1 || entry.body.length <= maxBytes) return [entry]
  const pieces: LogEntry[] = []
  const rows = splitArray(entry.body)
  let [from, bytes] = [0, 0]
  for (let at = 0; at < rows.length; at++) {
    if (at > from && bytes + rows[at]!.length > maxBytes) {
      pieces.push(partOf(entry, from, rows.slice(from, at)))
      ;[from, bytes] = [at, 0]
    }
    bytes += rows[at]!.length
  }
  return [...pieces, partOf(entry, from, rows.slice(from))]
}

/** Groups entries into batches of at most `maxBytes`; a single larger row is a batch by itself. */
export function* batchesOf(entries: readonly LogEntry[], maxBytes: () => number): Generator<LogEntry[]> {
  let [batch, bytes]: [LogEntry[], number] = [[], 0]
  for (const entry of entries) {
    for (const piece of piecesOf(entry, maxBytes())) {
      if (batch.length > 0 && bytes + piece.body.length > maxBytes()) {
        yield batch
        ;[batch, bytes] = [[], 0]
      }
      batch.push(piece)
      bytes += piece.body.length
    }
  }
  if (batch.length > 0) yield batch
}

export const rowsIn = (entries: readonly LogEntry[]): number =>
  entries.reduce((sum, { count }) => sum + count, 0)

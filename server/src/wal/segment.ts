import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export interface LogRecord {
  kind: string
  /** How many rows the body holds. */
  count: number
  receivedAtMs: number
  /** A JSON array in UTF-8. */
  body: Buffer
  /** What the request says of all its rows, as JSON: where they go, or what bot sent them. */
  target?: string
}

export interface LogEntry extends LogRecord {
  /** The sequence of the first row; the others follow without a gap. */
  first: number
  /** The rows of the request that this is a part of, where it is not all of it. */
  request?: { first: number; last: number }
  /** A row that is tried by itself: what its request says of all rows need not hold for it. */
  isAlone?: true
}

export const lastOf = (entry: LogEntry): number => entry.first + entry.count - 1

/**
 * A segment is a file of fixed size: a head, then frames, one for each write, then what the file held
 * before. A frame counts only with the salt of its own segment, so nothing of an earlier use of the
 * file can pass for a frame, nor anything that a client puts into a body.
 */
export interface SegmentHead {
  number: number
  salt: Buffer
  bytes: number
  /** The sequence of the last row before this segment. */
  before: number
}

export interface Frame {
  entries: LogEntry[]
  /** The sequence of its last row; of an empty frame that of the row before it. */
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

/** How long the frame of some records is. */
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

/** One frame in one piece, because a write of many costs more than copying them; gives where it ends. */
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

/** How long the frame says it is, which is not checked yet; undefined where there is none. */
export const frameLength = (bytes: Buffer, at: number, salt: Buffer): number | undefined =>
  at + frameBytes <= bytes.length && bytes.compare(salt, 0, 8, at, at + 8) === 0
    ? bytes.readUInt32LE(at + 16)
    : undefined

/** The frame that starts at a place, or undefined where there is no whole one. Bodies are not copied. */
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

/** A record, as far as it counts among what waits. */
export interface Held {
  last: number
  bytes: number
}

export interface Scan {
  last: number
  end: number
  held: Held[]
  /** A whole frame stands behind a broken one, which no cut-off write can leave. */
  broken: boolean
}

/** Follows the frames of a segment to their end. */
export const scanSegment = (bytes: Buffer, { salt, before }: SegmentHead): Scan => {
  const held: Held[] = []
  let [last, end] = [before, headBytes]
  for (let frame = readFrame(bytes, end, salt); frame !== undefined; frame = readFrame(bytes, end, salt)) {
    ;({ last, end } = frame)
    for (const entry of frame.entries) held.push({ last: lastOf(entry), bytes: entry.body.length })
  }
  // The next frame is written only once the one before it is on disk.
  let broken = false
  for (let at = bytes.indexOf(salt, end + 1); at >= 0 && !broken; at = bytes.indexOf(salt, at + 1)) {
    broken = readFrame(bytes, at, salt) !== undefined
  }
  return { last, end, held, broken }
}

/** All whole frames of a segment, also those behind one that is broken. */
export const wholeFrames = function* (bytes: Buffer, salt: Buffer): Generator<Frame> {
  for (let at = headBytes; at >= 0;) {
    const frame = readFrame(bytes, at, salt)
    if (frame !== undefined) yield frame
    at = frame?.end ?? bytes.indexOf(salt, at + 1)
  }
}

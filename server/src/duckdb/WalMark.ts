import { type FileHandle, open, readFile } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { dataChanges } from './transactions.js'

/*
 * DuckDB takes a record of its own log (`x.duckdb.wal`) whose length is wrong for a write that was cut off, and drops
 * it with all after it, without a word. So the file `x.duckdb.reached` beside it says what the log surely has. It has two
 * slots, at 0 and at 4096, which are written in turn and in place: a write that is cut off leaves the other slot whole.
 *
 * | offset in a slot | length | meaning |
 * |---|---|---|
 * | 0 | 8 | `waymarkd` |
 * | 8 | 8 | a number that grows with each slot, as a double |
 * | 16 | 4 | CRC-32 of the first 12,288 bytes of `x.duckdb`, which change with each checkpoint |
 * | 20 | 8 | how many bytes of DuckDB's log are of commits that have ended, as a double |
 * | 28 | 4 | CRC-32 of those bytes |
 * | 32 | 4 | CRC-32 of the bytes 0 to 31 |
 *
 * Numbers are little-endian.
 * Check: a slot counts when its first bytes and its checksum are right; the one with the higher number is used. It says
 * nothing once there was a checkpoint.
 * Another version: a slot that begins otherwise does not count. A log without a slot that counts is read without a mark.
 */
const magic = Buffer.from('waymarkd')
/** The slots are 4096 bytes apart because no disk has larger sectors: a write of one slot never touches the other. */
const slotStarts = [0, 4096]
const slotBytes = 36
/** The file's own header, and the two that DuckDB writes in turn. */
const headerBytes = 12_288
const headerStarts = [4096, 8192]
const chunkBytes = 2 ** 20
const everyMs = 1000

interface Mark {
  number: number
  header: number
  bytes: number
  sum: number
}

const writeSlot = ({ number, header, bytes, sum }: Mark): Buffer => {
  const slot = Buffer.alloc(slotBytes)
  magic.copy(slot)
  slot.writeDoubleLE(number, 8)
  slot.writeUInt32LE(header, 16)
  slot.writeDoubleLE(bytes, 20)
  slot.writeUInt32LE(sum, 28)
  slot.writeUInt32LE(crc32(slot.subarray(0, 32)), 32)
  return slot
}

const readSlot = (slot: Buffer): Mark | undefined => {
  if (slot.length < slotBytes || !slot.subarray(0, 8).equals(magic)) return undefined
  if (crc32(slot.subarray(0, 32)) !== slot.readUInt32LE(32)) return undefined
  return {
    number: slot.readDoubleLE(8),
    header: slot.readUInt32LE(16),
    bytes: slot.readDoubleLE(20),
    sum: slot.readUInt32LE(28),
  }
}

const readMark = async (file: string): Promise<Mark | undefined> => {
  const bytes = await readFile(`${file}.reached`).catch(() => Buffer.alloc(0))
  const slots = slotStarts.map((start) => readSlot(bytes.subarray(start, start + slotBytes)))
  return slots.reduce((one, other) => ((other?.number ?? -1) > (one?.number ?? -1) ? other : one))
}

const readHeader = async (file: FileHandle): Promise<Buffer> =>
  (await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)).buffer

/** The checksum of a log up to a length, which continues that of its first bytes; undefined when it is shorter. */
const sumUntil = async (
  log: FileHandle,
  bytes: number,
  { at, sum }: { at: number; sum: number },
): Promise<number | undefined> => {
  while (at < bytes) {
    const length = Math.min(chunkBytes, bytes - at)
    const { bytesRead, buffer } = await log.read(Buffer.allocUnsafe(length), 0, length, at)
    if (bytesRead === 0) return undefined
    sum = crc32(buffer.subarray(0, bytesRead), sum)
    at += bytesRead
  }
  return sum
}

const withFile = async <T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T | undefined> => {
  const file = await open(path, 'r').catch(() => undefined)
  try {
    return file && (await work(file))
  } finally {
    await file?.close()
  }
}

/**
 * Says that rows of DuckDB's log are lost; undefined when none are, as far as is known. It must be called before DuckDB
 * opens the file: DuckDB cuts off what it does not take, and a process that closes a file gives up DuckDB's lock on it.
 */
export const findCutOff = async (file: string): Promise<string | undefined> => {
  const mark = await readMark(file)
  const header = mark && (await withFile(file, readHeader))
  if (mark === undefined || header === undefined || crc32(header) !== mark.header) return undefined
  const sum = await withFile(`${file}.wal`, (log) => sumUntil(log, mark.bytes, { at: 0, sum: 0 }))
  if (sum === mark.sum) return undefined
  return `${file}.wal has not the ${mark.bytes} bytes that DuckDB wrote, so rows that were stored would be lost (delete ${file}.reached to go on without them)`
}

/** What a log's first record says: of which checkpoint of the file it is the log. Undefined in another form. */
const checkpointOf = (head: Buffer): number | undefined => {
  // Field 100, the record's kind; 101, the version; 102, sixteen numbers that name the file; 103, the checkpoint.
  if (!head.subarray(0, 9).equals(Buffer.from('640062650002660010', 'hex'))) return undefined
  let at = 9
  for (let numbers = 0; numbers < 16; numbers++) while ((head[at++] ?? 0) >= 0x80);
  if (head.readUInt16LE(at) !== 103) return undefined
  let [value, shift] = [0, 0]
  for (at += 2; at < head.length; at++, shift += 7) {
    value += (head[at]! & 0x7f) * 2 ** shift
    if (head[at]! < 0x80) return value
  }
  return undefined
}

/** Notes what DuckDB's log of a catalog surely has. Nobody waits for it: a mark can be late but never wrong. */
export class WalMark {
  readonly #path: string
  /** To close it gives up DuckDB's lock on the file, so it stays open. */
  readonly #file: FileHandle
  readonly #marks: FileHandle
  #mark: Mark
  #noting: Promise<void> | undefined
  readonly #timer: NodeJS.Timeout

  private constructor(
    path: string,
    { file, marks, mark }: { file: FileHandle; marks: FileHandle; mark: Mark },
  ) {
    this.#path = path
    this.#file = file
    this.#marks = marks
    this.#mark = mark
    this.#timer = setInterval(() => this.note(), everyMs).unref()
  }

  /** Begins to note what the log of an open file has. */
  static async open(path: string): Promise<WalMark> {
    const last = await readMark(path)
    const mark = { number: last?.number ?? 0, header: 0, bytes: 0, sum: 0 }
    const marks = await open(`${path}.reached`, last === undefined ? 'w' : 'r+', 0o600)
    return new WalMark(path, { mark, marks, file: await open(path, 'r') })
  }

  note(): Promise<void> {
    // Where this fails, as on a full disk, a loss may go unnoticed; the store works as before.
    return (this.#noting ??= this.#note()
      .catch(() => undefined)
      .finally(() => (this.#noting = undefined)))
  }

  /** Must be called once DuckDB has closed the file. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#noting
    await this.#marks.close()
    await this.#file.close()
  }

  async #note(): Promise<void> {
    // While a COMMIT is under way, the log may have bytes that it takes back.
    if (dataChanges.count === undefined) return
    const bytes = statSync(`${this.#path}.wal`, { throwIfNoEntry: false })?.size ?? 0
    const header = await readHeader(this.#file)
    const state = crc32(header)
    const { header: known, bytes: at, sum: sumBefore, number } = this.#mark
    const from = known === state && at <= bytes ? { at, sum: sumBefore } : { at: 0, sum: 0 }
    if (bytes === from.at) return
    const checkpoint = Math.max(...headerStarts.map((start) => Number(header.readBigUInt64LE(start + 8))))
    const sum = await withFile(`${this.#path}.wal`, async (log) => {
      const { buffer } = await log.read(Buffer.alloc(64), 0, 64, 0)
      // In the end of a checkpoint there is still the log from before it.
      return checkpointOf(buffer) === checkpoint ? sumUntil(log, bytes, from) : undefined
    })
    if (sum === undefined || crc32(await readHeader(this.#file)) !== state) return
    this.#mark = { number: number + 1, header: state, bytes, sum }
    await this.#marks.write(writeSlot(this.#mark), 0, slotBytes, slotStarts[this.#mark.number % 2])
  }
}

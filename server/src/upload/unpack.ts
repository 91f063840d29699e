import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Duplex, PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { HttpError, refuse } from '../http/HttpError.js'
import { reasonOf } from '../OperatorError.js'
import { createCsvReader, type CsvDialect } from './createCsvReader.js'
import { detectFormat, type FileFormat } from './decodeBody.js'

const wrong = (message: string) => refuse(400, 'invalid-upload', message)

const mostEntries = 1000
const mostDirectoryBytes = 2 ** 24
/** Real files are packed to between a fifth and a twentieth; deflate can pack zeros to a thousandth. */
const mostRatio = 100
const freeBytes = 2 ** 26

interface Unpacked {
  name: string
  path: string
}

interface Packed {
  chunks: Readable
  bytes: number
  crc: number | undefined
}

/** Writes what was packed to a file, and throws when it is much more than real files have, or not what was packed. */
const inflate = async (
  { chunks, bytes, crc }: Packed,
  target: string,
  { unzip, room }: { unzip: Duplex; room: { bytes: number } },
): Promise<void> => {
  let [written, sum] = [0, 0]
  const count = async function* (source: AsyncIterable<unknown>) {
    for await (const part of source) {
      const chunk = part as Buffer
      written += chunk.length
      room.bytes -= chunk.length
      if (written > freeBytes && written > mostRatio * bytes)
        throw wrong(`The file unpacks to more than ${mostRatio} times its size. Send it unpacked.`)
      if (room.bytes < 0) throw wrong('There is not enough free disk to unpack the file.')
      if (crc !== undefined) sum = crc32(chunk, sum)
      yield chunk
    }
  }
  const out = createWriteStream(target, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(chunks, unzip, count, out)
  } catch (error) {
    throw error instanceof HttpError
      ? error
      : wrong(`The packed file cannot be read to its end: ${reasonOf(error)}.`)
  }
  if (crc !== undefined && sum !== crc)
    throw wrong('A file in the zip is damaged: its checksum is another one.')
}

/*
 * A zip ends with a record of 22 bytes and a comment: at 0 `PK\5\6`, at 10 the number of files (2 bytes), at 12 the length of
 * the list of files (4), at 16 where it begins (4). Each file of that list: at 0 `PK\1\2`, at 8 flags (2; 1: encrypted),
 * at 10 how it is packed (2; 0 not at all, 8 deflate), at 16 CRC-32 (4), at 20 its packed length (4), at 28, 30 and 32 the
 * lengths of name, extra and comment (2 each), at 42 where it begins (4), at 46 the name. What begins there has 30 bytes,
 * of which at 26 and 28 the lengths of name and extra (2 each), that follow; then comes the packed file.
 */
const [endBytes, entryBytes, headBytes] = [22, 46, 30]
const wanted = /\.(csv|json|jsonl|ndjson|parquet)(\.gz)?$/i

const readZip = async (
  path: string,
  into: string,
  room: { bytes: number },
): Promise<{ files: Unpacked[]; others: string[] }> => {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const read = async (at: number, length: number) => {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at)
      if (bytesRead < length) throw wrong('The zip is not complete.')
      return buffer
    }
    const tailBytes = Math.min(size, endBytes + 65_535)
    const tail = await read(size - tailBytes, tailBytes)
    const end = tail.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
    if (end < 0 || end + endBytes > tail.length)
      throw wrong('The zip is not complete: its list of files is missing.')
    const count = tail.readUInt16LE(end + 10)
    const [listBytes, listAt] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
    if (count > mostEntries || listBytes > mostDirectoryBytes || listAt + listBytes > size)
      throw wrong(`The zip has too many files, or is damaged: at most ${mostEntries} are read.`)
    const list = await read(listAt, listBytes)
    const files: Unpacked[] = []
    const others: string[] = []
    for (let at = 0, n = 0; n < count; n++) {
      if (at + entryBytes > list.length || list.toString('latin1', at, at + 4) !== 'PK\u0001\u0002')
        throw wrong('The zip is damaged: its list of files cannot be read.')
      const lengths = [28, 30, 32].map((place) => list.readUInt16LE(at + place))
      // The name says what is in a file; nothing is ever written under it.
      const name = basename(
        list.toString('utf8', at + entryBytes, at + entryBytes + lengths[0]!).replaceAll('\\', '/'),
      )
      const [flags, method] = [list.readUInt16LE(at + 8), list.readUInt16LE(at + 10)]
      const [crc, bytes] = [list.readUInt32LE(at + 16), list.readUInt32LE(at + 20)]
      const headAt = list.readUInt32LE(at + 42)
      at += entryBytes + lengths[0]! + lengths[1]! + lengths[2]!
      if (!wanted.test(name) || name.startsWith('.')) {
        if (bytes > 0) others.push(name)
        continue
      }
      if ((flags & 1) !== 0 || (method !== 0 && method !== 8))
        throw wrong(`${name} in the zip is encrypted, or packed in a way that is not read.`)
      const head = await read(headAt, headBytes)
      const from = headAt + headBytes + head.readUInt16LE(26) + head.readUInt16LE(28)
      if (from + bytes > size) throw wrong(`${name} in the zip is not complete.`)
      const target = `${into}_${n}`
      const chunks =
        bytes === 0 ? Readable.from([]) : createReadStream(path, { start: from, end: from + bytes - 1 })
      await inflate({ chunks, bytes, crc }, target, {
        unzip: method === 8 ? createInflateRaw() : new PassThrough(),
        room,
      })
      files.push({ name, path: target })
    }
    return { files, others }
  } finally {
    await handle.close()
  }
}

const startOf = async (path: string): Promise<Buffer> => {
  const handle = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
const startBytes = 65_536

/** Whom a file is sent for, and how much of the disk it may fill. */
interface Sent {
  /** Where it is. All files that are made of it have names that begin with this path. */
  file: string
  /** What the client calls it. */
  name: string
  mostDiskBytes: number
}

/** The files that one sent file holds: those of a zip, each unpacked when it is gzipped. */
const unpackAll = async ({ file, name }: Sent, room: { bytes: number }) => {
  const isZip = (await startOf(file)).toString('latin1', 0, 4) === 'PK\u0003\u0004'
  const { files, others } = isZip
    ? await readZip(file, `${file}_zip`, room)
    : { files: [{ name, path: file }], others: [] }
  for (const each of files) {
    const start = await startOf(each.path)
    if (start[0] !== 0x1f || start[1] !== 0x8b) continue
    const target = `${each.path}_gunzipped`
    const { size: bytes } = await open(each.path).then(async (handle) =>
      handle.stat().finally(() => handle.close()),
    )
    await inflate({ chunks: createReadStream(each.path), bytes, crc: undefined }, target, {
      unzip: createGunzip(),
      room,
    })
    if (each.path !== file) await rm(each.path)
    each.path = target
  }
  if (files.length === 0) throw wrong('The zip holds no csv, json or parquet file.')
  return { files, others }
}

const mark = Buffer.from([0xef, 0xbb, 0xbf])

/** How many bytes are no part of a text: a byte order mark, and lines of remarks before a csv file. */
const skippedBytes = (start: Buffer): number => {
  let at = start.subarray(0, 3).equals(mark) ? 3 : 0
  while (start[at] === 0x23) {
    const end = start.indexOf(0x0a, at)
    if (end < 0) break
    at = end + 1
    while (start[at] === 0x0a || start[at] === 0x0d) at++
  }
  return at
}

/** A file that DuckDB reads as it was written. */
export interface ReadableFile {
  name: string
  file: string
  format: FileFormat
  names: string[]
  dialect: CsvDialect | undefined
}

/** Makes a text as DuckDB reads it: without what stands before it, and in csv with one kind of line ends. */
const makeReadable = async ({ name, path }: Unpacked, sent: string): Promise<ReadableFile | undefined> => {
  const whole = await startOf(path)
  const skipped = skippedBytes(whole)
  const start = whole.subarray(skipped)
  if (start.length === 0) return undefined
  const format = detectFormat({ format: undefined, contentType: undefined }, start)
  if (format === 'parquet') return { name, file: path, format, names: [], dialect: undefined }
  const file = `${path}_text`
  const reader = format === 'csv' ? createCsvReader({ start, isWhole: whole.length < startBytes }) : undefined
  const rewrite = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) yield reader?.feed(chunk) ?? chunk
  }
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await pipeline(createReadStream(path, { start: skipped }), rewrite, out)
  if (path !== sent) await rm(path)
  const { names, dialect } = reader?.end() ?? { names: [], dialect: undefined }
  return { name, file, format, names, dialect }
}

/** Unpacks a file of csv, json or parquet, or a zip of some. `others` are the names of files that are not read. */
export const unpack = async (sent: Sent): Promise<{ files: ReadableFile[]; others: string[] }> => {
  const { files, others } = await unpackAll(sent, { bytes: sent.mostDiskBytes })
  const readable: ReadableFile[] = []
  for (const each of files) {
    const made = await makeReadable(each, sent.file)
    if (made === undefined) others.push(each.name)
    else readable.push(made)
  }
  if (readable.length === 0) throw wrong('The file is empty.')
  return { files: readable, others }
}

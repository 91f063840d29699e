import { open, statfs, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { HttpError, refuse } from '../http/HttpError.js'
import { createCsvReader } from './createCsvReader.js'
import { createJsonReader } from './createJsonReader.js'
import { decodeBody } from './decodeBody.js'
import { detectFormat, type FileFormat } from './detectFormat.js'

/** What a full disk is answered with. */
export const diskFull = () =>
  refuse(503, 'disk-full', 'There is not enough free disk for this file. Nothing was stored.', {
    'retry-after': '60',
  })

/** Refuses when so many bytes are not free where the file lies. */
export const requireRoom = async (file: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(file)
  if (bavail * bsize < bytes) throw diskFull()
}

export interface Spooled {
  format: FileFormat
  /** The columns of a csv file. */
  names: string[]
  /** How many rows the file has; undefined where its reader is trusted with that. */
  rows: number | undefined
}

export interface SpoolOptions {
  /** The format, where the request names one. */
  format: FileFormat | undefined
  /** Of the file, unpacked. */
  maxBytes: number
  /** Disk that must stay free. */
  reserveBytes: number
  idleMs: number
}

const checkEveryBytes = 64 * 1_048_576

const tooLarge = (maxBytes: number) =>
  refuse(413, 'body-too-large', `The file has more than ${maxBytes} bytes. Send it in parts.`)

const tooSlow = (idleMs: number) =>
  refuse(408, 'body-too-slow', `No part of the file arrived for ${idleMs / 1000} seconds.`)

/** Each next chunk, or a refusal when none came in time. */
const withPatience = async function* (request: IncomingMessage, idleMs: number) {
  let timer: NodeJS.Timeout | undefined
  let late = false
  const wind = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      late = true
      request.destroy(new Error('idle'))
    }, idleMs)
  }
  try {
    wind()
    // A refusal must find the connection open.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      wind()
      yield chunk as Buffer
    }
  } catch {
    if (late) throw tooSlow(idleMs)
    const message = 'The client went away before its file was complete.'
    throw refuse(400, 'body-incomplete', message)
  } finally {
    clearTimeout(timer)
  }
}

const mark = Buffer.from([0xef, 0xbb, 0xbf])
/** Enough to know a format by. */
const startBytes = 512

/** The same bytes without a byte order mark, which DuckDB does not expect before JSON; the first is a long one. */
const withStart = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  const begin = (bytes: Buffer) =>
    bytes.subarray(0, mark.length).equals(mark) ? bytes.subarray(mark.length) : bytes
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < startBytes) continue
    yield begin(start)
    start = undefined
  }
  if (start !== undefined && begin(start).length > 0) yield begin(start)
}

/** Looks at a file as it passes, and may change it. */
interface Reader {
  feed(chunk: Buffer): Buffer
  /** Refuses a file that is not whole. */
  end(): Pick<Spooled, 'names' | 'rows'>
}

const readJson = (): Reader => {
  const reader = createJsonReader()
  return {
    feed(chunk) {
      reader.feed(chunk)
      return chunk
    },
    end: () => ({ names: [], rows: reader.end().records }),
  }
}

const readParquet = (): Reader => {
  let tail = Buffer.alloc(0)
  return {
    feed(chunk) {
      tail = Buffer.concat([tail, chunk.subarray(-4)]).subarray(-4)
      return chunk
    },
    end() {
      if (tail.toString('latin1') === 'PAR1') return { names: [], rows: undefined }
      throw refuse(400, 'invalid-upload', 'The parquet file is not complete: its end is missing.')
    },
  }
}

const createReader: Record<FileFormat, () => Reader> = {
  csv: createCsvReader,
  json: readJson,
  parquet: readParquet,
}

const write = async (
  handle: FileHandle,
  chunks: AsyncIterable<Buffer>,
  beforeChunk: (written: number, bytes: number) => Promise<void>,
) => {
  const out = handle.createWriteStream()
  const done = finished(out)
  // Waited for below; a failure before that must not count as unhandled.
  done.catch(() => undefined)
  let written = 0
  try {
    for await (const chunk of chunks) {
      await beforeChunk(written, chunk.length)
      written += chunk.length
      if (!out.write(chunk))
        await Promise.race([new Promise<void>((resolve) => out.once('drain', () => resolve())), done])
    }
    out.end()
    await done
  } catch (error) {
    out.destroy()
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw diskFull()
    throw error
  }
}

/** The same, and the connection ends: the rest of the body may still come. */
const closing = ({ status, code, message, headers }: HttpError) =>
  new HttpError(status, code, message, { ...headers, connection: 'close' })

/** Writes the file in a body of any size to a private file, no faster than the disk takes it. */
export const spoolBody = async (
  request: IncomingMessage,
  file: string,
  { format: asked, maxBytes, reserveBytes, idleMs }: SpoolOptions,
): Promise<Spooled> => {
  const expected = Number(request.headers['content-length'] ?? 0)
  if (expected > maxBytes) throw closing(tooLarge(maxBytes))
  const handle = await open(file, 'wx', 0o600)
  const found: { format?: FileFormat; reader?: Reader } = {}
  const read = async function* () {
    const body = await decodeBody(request, withPatience(request, idleMs))
    for await (const chunk of withStart(body.chunks)) {
      found.format ??= detectFormat({ format: asked, contentType: body.contentType }, chunk)
      found.reader ??= createReader[found.format]()
      yield found.reader.feed(chunk)
    }
  }
  let nextCheck = 0
  try {
    await write(handle, read(), async (written, bytes) => {
      if (written + bytes > maxBytes) throw tooLarge(maxBytes)
      if (written < nextCheck) return
      nextCheck += checkEveryBytes
      await requireRoom(file, reserveBytes + Math.max(expected - written, checkEveryBytes))
    })
  } catch (error) {
    throw error instanceof HttpError && !request.readableEnded ? closing(error) : error
  }
  const { format, reader } = found
  if (format === undefined || reader === undefined) throw refuse(400, 'invalid-upload', 'The file is empty.')
  return { format, ...reader.end() }
}

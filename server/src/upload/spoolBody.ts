import { open, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { HttpError, refuse } from '../http/HttpError.js'
import { isDiskFailing } from '../OperatorError.js'
import { diskFailing, lookAtDisk } from '../disk/DiskRoom.js'
import type { Over } from '../link/ownLimits.js'
import { createCsvReader, type CsvDialect } from './createCsvReader.js'
import { decodeBody, detectFormat, type FileBytes, type FileFormat } from './decodeBody.js'

/** Makes the HttpError for a full disk. */
export const diskFull = () =>
  refuse(503, 'disk-full', 'There is not enough free disk for this file. Nothing was stored.', {
    'retry-after': '60',
  })

/** Throws when fewer bytes are free on the disk of the file. */
export const requireRoom = async (file: string, bytes: number): Promise<void> => {
  if ((await lookAtDisk(file)).free < bytes) throw diskFull()
}

export interface Spooled {
  format: FileFormat
  /** The columns of a csv file. */
  names: string[]
  /** How a csv file is written. */
  dialect: CsvDialect | undefined
  /** How many rows a csv file has. */
  rows: number | undefined
  bytes: number
}

export interface SpoolLimits {
  /** The limit for the unpacked file. */
  maxBytes: number
  /** How much of the disk must stay free. */
  reserveBytes: number
  idleMs: number
}

export interface SpoolOptions extends SpoolLimits {
  /** The format that the request names; undefined when it names none. */
  format: FileFormat | undefined
  /** What the request says of a csv file. */
  dialect: Partial<CsvDialect>
}

const checkEveryBytes = 64 * 1_048_576

const tooLarge = (maxBytes: number) =>
  refuse(413, 'body-too-large', `The file has more than ${maxBytes} bytes. Send it in parts.`)

const tooSlow = (idleMs: number) =>
  refuse(408, 'body-too-slow', `No part of the file arrived for ${idleMs / 1000} seconds.`)

/** Reads the chunks of a request, and throws a 408 when no chunk came in time. */
const withPatience = async function* (request: IncomingMessage, idleMs: number) {
  let timer: NodeJS.Timeout | undefined
  let isLate = false
  const wind = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      isLate = true
      request.destroy(new Error('idle'))
    }, idleMs)
  }
  try {
    wind()
    // The connection must stay open, so that an error can still be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      wind()
      yield chunk as Buffer
    }
  } catch {
    if (isLate) throw tooSlow(idleMs)
    const message = 'The client went away before its file was complete.'
    throw refuse(400, 'body-incomplete', message)
  } finally {
    clearTimeout(timer)
  }
}

const mark = Buffer.from([0xef, 0xbb, 0xbf])
/** How many bytes are enough to find the format, and how a csv file is written. */
const startBytes = 65_536

/**
 * Removes a byte order mark, which DuckDB does not expect before JSON. The first chunk that it yields is long
 * enough to find the format, or all of the file.
 */
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

/** Reads a file as it is received, and may change it. */
interface Reader {
  feed(chunk: Buffer): Buffer
  /** Throws when the file is not complete. */
  end(): Pick<Spooled, 'names' | 'rows' | 'dialect'>
}

/** Its records are read when it is complete. */
const readJson = (): Reader => ({
  feed: (chunk) => chunk,
  end: () => ({ names: [], dialect: undefined, rows: undefined }),
})

const readParquet = (): Reader => {
  let tail = Buffer.alloc(0)
  return {
    feed(chunk) {
      tail = Buffer.concat([tail, chunk.subarray(-4)]).subarray(-4)
      return chunk
    },
    end() {
      if (tail.toString('latin1') === 'PAR1') return { names: [], dialect: undefined, rows: undefined }
      throw refuse(400, 'invalid-upload', 'The parquet file is not complete: its end is missing.')
    },
  }
}

const createReader: Record<FileFormat, (start: Buffer, dialect: Partial<CsvDialect>) => Reader> = {
  csv: (start, dialect) => createCsvReader({ ...dialect, start, isWhole: start.length < startBytes }),
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
  // `done` is awaited below, and a failure before that must not count as unhandled.
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
    return written
  } catch (error) {
    out.destroy()
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw diskFull()
    if (isDiskFailing(code)) throw diskFailing()
    throw error
  }
}

/** Adds to an error that the connection ends, because the rest of the body may still come. */
const closing = ({ status, code, message, headers }: HttpError) =>
  new HttpError(status, code, message, { ...headers, connection: 'close' })

/**
 * Writes the file in a request's body to a private file, no faster than the disk can write, and gives its length. `read`
 * may change what is written.
 */
export const spoolFile = async (
  request: IncomingMessage,
  file: string,
  { maxBytes, reserveBytes, idleMs }: SpoolLimits,
  read: (body: FileBytes) => AsyncIterable<Buffer> = ({ chunks }) => chunks,
): Promise<number> => {
  const expected = Number(request.headers['content-length'] ?? 0)
  if (expected > maxBytes) throw closing(tooLarge(maxBytes))
  const handle = await open(file, 'wx', 0o600)
  const chunks = async function* () {
    yield* read(await decodeBody(request, withPatience(request, idleMs)))
  }
  let nextCheck = 0
  try {
    return await write(handle, chunks(), async (written, more) => {
      if (written + more > maxBytes) throw tooLarge(maxBytes)
      if (written < nextCheck) return
      nextCheck += checkEveryBytes
      await requireRoom(file, reserveBytes + Math.max(expected - written, checkEveryBytes))
    })
  } catch (error) {
    throw error instanceof HttpError && !request.readableEnded ? closing(error) : error
  }
}

/** Writes the file in a request's body to a private file as DuckDB reads it. */
export const spoolBody = async (
  request: IncomingMessage,
  file: string,
  { format: asked, dialect, ...limits }: SpoolOptions,
): Promise<Spooled> => {
  const found: { format?: FileFormat; reader?: Reader } = {}
  const read = async function* ({ chunks, contentType }: FileBytes) {
    for await (const chunk of withStart(chunks)) {
      found.format ??= detectFormat({ format: asked, contentType }, chunk)
      const [first] = Object.keys(dialect)
      if (first !== undefined && found.format !== 'csv')
        throw refuse(
          400,
          'invalid-parameter',
          `${first} goes with csv files, and this one is read as ${found.format}.`,
        )
      found.reader ??= createReader[found.format](chunk, dialect)
      yield found.reader.feed(chunk)
    }
  }
  const bytes = await spoolFile(request, file, limits, read)
  const { format, reader } = found
  if (format === undefined || reader === undefined) throw refuse(400, 'invalid-upload', 'The file is empty.')
  return { format, bytes, ...reader.end() }
}

/** Makes the HttpError for a file that is wrong. */
export const refuseFile = (message: string): HttpError => refuse(400, 'invalid-upload', message)

export const tooMuchMemory = 'Reading the file takes more memory than a file may have. Send it in parts.'
export const unreadable =
  'The file cannot be read: DuckDB, which reads it, breaks on it. Write it in another way, such as csv or json.'

/** Why the process that read a file has ended before it answered. */
export const explainEnd = (limit: Over['limit'] | undefined): HttpError => {
  if (limit === 'memory') return refuseFile(tooMuchMemory)
  return refuseFile(limit === 'time' ? 'Reading the file takes too long. Send it in parts.' : unreadable)
}

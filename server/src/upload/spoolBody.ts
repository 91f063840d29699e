import { open, statfs } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { refuse } from '../http/HttpError.js'

export interface JsonBalance {
  feed(chunk: Buffer): void
  /** Whether every bracket and text that was opened has been closed. */
  isClosed(): boolean
}

const [quote, backslash, brace, bracket, braceEnd, bracketEnd] = [0x22, 0x5c, 0x7b, 0x5b, 0x7d, 0x5d]

/** DuckDB reads an array that was cut off as if it ended there, so the end is looked for here. */
export const createJsonBalance = (): JsonBalance => {
  let depth = 0
  let inText = false
  let escaped = false
  return {
    feed(chunk) {
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]
        if (inText) {
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) inText = false
        } else if (byte === quote) inText = true
        else if (byte === brace || byte === bracket) depth++
        else if (byte === braceEnd || byte === bracketEnd) depth--
      }
    },
    isClosed: () => depth === 0 && !inText,
  }
}

/** What a full disk is answered with; the connection ends, because the rest of a body may still come. */
export const diskFull = () =>
  refuse(503, 'disk-full', 'There is not enough free disk for this file. Nothing was stored.', {
    connection: 'close',
    'retry-after': '60',
  })

/** Refuses when so many bytes are not free where the file lies. */
export const requireRoom = async (file: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(file)
  if (bavail * bsize < bytes) throw diskFull()
}

export interface Spooled {
  bytes: number
  /** The first of them. */
  start: Buffer
  jsonIsClosed: boolean
}

export interface SpoolOptions {
  maxBytes: number
  /** Disk that must stay free. */
  reserveBytes: number
  idleMs: number
}

const checkEveryBytes = 64 * 1_048_576
const close = { connection: 'close' }

const tooLarge = () => refuse(413, 'body-too-large', 'The file is too large.', close)

const tooSlow = (idleMs: number) =>
  refuse(408, 'body-too-slow', `No part of the file arrived for ${idleMs / 1000} seconds.`, close)

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
    for await (const chunk of request) {
      wind()
      yield chunk as Buffer
    }
  } catch {
    if (late) throw tooSlow(idleMs)
    const message = 'The client went away before its file was complete.'
    throw refuse(400, 'body-incomplete', message, close)
  } finally {
    clearTimeout(timer)
  }
}

const mark = Buffer.from([0xef, 0xbb, 0xbf])

/** The same bytes without a byte order mark, which DuckDB does not expect before JSON. */
const withoutMark = async function* (chunks: AsyncIterable<Buffer>) {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < mark.length) continue
    yield start.subarray(0, mark.length).equals(mark) ? start.subarray(mark.length) : start
    start = undefined
  }
  if (start !== undefined) yield start
}

/** Writes a body of any size to a private file, no faster than the disk takes it. */
export const spoolBody = async (
  request: IncomingMessage,
  file: string,
  { maxBytes, reserveBytes, idleMs }: SpoolOptions,
): Promise<Spooled> => {
  const expected = Number(request.headers['content-length'] ?? 0)
  if (expected > maxBytes) throw tooLarge()
  const out = (await open(file, 'wx', 0o600)).createWriteStream()
  const done = finished(out)
  // Waited for below; a failure before that must not count as unhandled.
  done.catch(() => undefined)
  const balance = createJsonBalance()
  let start = Buffer.alloc(0)
  let bytes = 0
  let nextCheck = 0
  try {
    for await (const chunk of withoutMark(withPatience(request, idleMs))) {
      if (bytes >= nextCheck) {
        nextCheck += checkEveryBytes
        const coming = Math.max(expected - bytes, checkEveryBytes)
        await requireRoom(file, reserveBytes + coming)
      }
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      if (start.length < 4096) start = Buffer.concat([start, chunk.subarray(0, 4096)])
      balance.feed(chunk)
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
  return { bytes, start, jsonIsClosed: balance.isClosed() }
}

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { HttpError, refuse, shorten } from '../http/HttpError.js'
import { reasonOf } from '../OperatorError.js'

/** The bytes of a file, and the content type that the client gave. */
export interface FileBytes {
  contentType: string | undefined
  chunks: AsyncIterable<Buffer>
}

/** Real files are packed to between a fifth and a twentieth. Deflate can pack zeros to a thousandth. */
const maxRatio = 100
/** A small file may unpack to so much at any ratio, such as a test file with one value in all rows. */
const freeBytes = 64 * 1_048_576

const tooDense = () =>
  refuse(
    413,
    'body-too-dense',
    `The gzip data unpacks to more than ${maxRatio} times its size. Send the file unpacked.`,
  )

const damaged = (what: string, error: unknown): HttpError => {
  if (error instanceof HttpError) return error
  const reason = reasonOf(error)
  return refuse(400, 'invalid-upload', `The ${what} cannot be read to its end: ${reason}.`)
}

const gunzip = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packed = 0
  let unpacked = 0
  const count = async function* () {
    for await (const chunk of chunks) {
      packed += chunk.length
      yield chunk
    }
  }
  const stream = createGunzip()
  const done = pipeline(Readable.from(count(), { objectMode: false }), stream)
  // The loop below rejects with the same failure, so this one must not count as unhandled.
  done.catch(() => undefined)
  try {
    for await (const chunk of stream) {
      unpacked += (chunk as Buffer).length
      if (unpacked > freeBytes && unpacked > maxRatio * packed) throw tooDense()
      yield chunk as Buffer
    }
  } catch (error) {
    throw damaged('gzip data', error)
  }
}

const oneFile = 'A form must hold one file and nothing else; parameters belong into the URL'

/** Reads the file of a form, which must have no other part. */
const readForm = async (chunks: AsyncIterable<Buffer>, headers: BusboyHeaders): Promise<FileBytes> => {
  const refuseForm = (what: string) => refuse(400, 'invalid-upload', `${oneFile}. ${what}.`)
  let parser: Busboy
  try {
    parser = new Busboy({ headers })
  } catch (error) {
    throw damaged('form', error)
  }
  let found: { stream: BusboyFileStream; contentType: string } | undefined
  let noteFirst: () => void = () => undefined
  const first = new Promise<void>((resolve) => (noteFirst = resolve))
  parser.on('file', (_, stream, __, ___, contentType) => {
    if (found === undefined) found = { stream, contentType }
    else {
      stream.on('error', () => undefined).resume()
      parser.destroy(refuseForm('This one holds two'))
    }
    noteFirst()
  })
  parser.on('field', (name) => {
    parser.destroy(refuseForm(`This one holds the field ${JSON.stringify(shorten(name))}`))
  })
  const done = pipeline(Readable.from(chunks, { objectMode: false }), parser).catch((error: unknown) => {
    const failure = damaged('form', error)
    found?.stream.destroy(failure)
    throw failure
  })
  await Promise.race([first, done])
  if (found === undefined) throw refuseForm('This one holds none')
  const { stream, contentType } = found
  const read = async function* () {
    try {
      for await (const chunk of stream) yield chunk as Buffer
    } catch (error) {
      throw damaged('form', error)
    }
    // A second file may follow, and then `done` rejects.
    await done
  }
  return { contentType, chunks: read() }
}

/** Takes the file out of a request's body, which may be gzipped and may be a form. */
export const decodeBody = async (
  { headers }: IncomingMessage,
  body: AsyncIterable<Buffer>,
): Promise<FileBytes> => {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
    const quoted = JSON.stringify(shorten(encoding))
    throw refuse(400, 'invalid-parameter', `Content-Encoding must be gzip or absent, not ${quoted}.`)
  }
  const chunks = encoding === 'identity' ? body : gunzip(body)
  const contentType = headers['content-type']
  return contentType !== undefined && /^multipart\/form-data\b/i.test(contentType)
    ? readForm(chunks, { ...headers, 'content-type': contentType })
    : { contentType, chunks }
}

export type FileFormat = 'csv' | 'json' | 'parquet'

const byType: Record<string, FileFormat> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/json': 'json',
  'text/json': 'json',
  'application/x-ndjson': 'json',
  'application/ndjson': 'json',
  'application/jsonl': 'json',
  'application/x-jsonlines': 'json',
  'application/parquet': 'parquet',
  'application/x-parquet': 'parquet',
  'application/vnd.apache.parquet': 'parquet',
}

/** Other kinds of files, known by their first bytes, and what to do about each. */
const otherKinds: [start: RegExp, kind: string, advice: string][] = [
  [/^\p{Cc}\x8b/u, 'gzip', 'Send it with Content-Encoding: gzip'],
  [/^\x28\xb5\x2f\xfd/, 'zstd', 'Send it unpacked, or as gzip'],
  [/^PK\p{Cc}{2}/u, 'zip', 'A spreadsheet is one too. Send a file of csv, json or parquet'],
  [/^\s*<(!doctype|html|\?xml)/i, 'HTML or XML', 'Look at what sent it: it may be an error page'],
  [/^PARE[^]{0,8}[^\P{Cc}\s]/u, 'encrypted parquet', 'Send it decrypted'],
  [/^(?:\xff\xfe|\xfe\xff|(?:[^\0]\0){4}|(?:\0[^\0]){4})/, 'UTF-16', 'Send UTF-8'],
  [/^\xd0\xcf\p{Cc}\xe0/u, 'a spreadsheet', 'Save it as csv'],
  [/^(?:ARROW1|(?:Obj|ORC)\p{Cc})/u, 'Arrow, Avro or ORC', 'Write csv, json or parquet'],
  [/^(?:BZh\d1AY|\xfd7zXZ)/, 'bzip2 or xz', 'Send it unpacked, or as gzip'],
]

const looksLike = (text: string): FileFormat => {
  if (text.startsWith('PAR1')) return 'parquet'
  return /^\s*[[{]/.test(text) ? 'json' : 'csv'
}

/** Makes the HttpError for a file that is not of the given format. */
const notA = (format: FileFormat, kind: string, advice: string) =>
  refuse(400, 'invalid-upload', `The file is not ${format}: it begins like ${kind}. ${advice}.`)

export interface GivenFormat {
  /** The parameter `format`. */
  format: FileFormat | undefined
  contentType: string | undefined
}

/** Finds the format of a file: the one that the request names, or else the one of its first bytes. Throws when they differ. */
export const detectFormat = ({ format, contentType }: GivenFormat, start: Buffer): FileFormat => {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const text = start.toString('latin1', 0, 512)
  const found = looksLike(text)
  const named = format ?? byType[type] ?? found
  for (const [signature, kind, advice] of otherKinds)
    if (signature.test(text)) throw notA(named, kind, advice)
  if (found === named) return named
  // A csv file may begin with any text, also like json, but not with the bytes that begin a parquet file.
  if (named === 'csv' && found === 'json') return named
  throw notA(named, found, `Say format=${found} if that is what it is`)
}

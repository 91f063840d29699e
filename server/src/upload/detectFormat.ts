import { refuse } from '../http/HttpError.js'

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
  [/^(\xff\xfe|\xfe\xff)/, 'UTF-16', 'Send UTF-8'],
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

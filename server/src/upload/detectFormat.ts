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

/** What a file shows itself to be, by its first bytes, and what to do about it. */
const strangers: [start: RegExp, kind: string, advice: string][] = [
  [/^\p{Cc}\x8b/u, 'gzip', 'Send it with Content-Encoding: gzip'],
  [/^\x28\xb5\x2f\xfd/, 'zstd', 'Send it unpacked, or as gzip'],
  [/^PK\p{Cc}{2}/u, 'zip', 'A spreadsheet is one too. Send a file of csv, json or parquet'],
  [/^\s*<(!doctype|html|\?xml)/i, 'HTML or XML', 'Look at what sent it: it may be an error page'],
  [/^(\xff\xfe|\xfe\xff)/, 'UTF-16', 'Send UTF-8'],
]

const looksLike = (text: string): FileFormat => {
  if (text.startsWith('PAR1')) return 'parquet'
  return /^\s*[[{]/.test(text) ? 'json' : 'csv'
}

/** Of a file that is no csv, no json or no parquet file, whatever was said of it. */
const notA = (format: FileFormat, kind: string, advice: string) =>
  refuse(400, 'invalid-upload', `The file is not ${format}: it begins like ${kind}. ${advice}.`)

export interface Told {
  /** The parameter `format`. */
  format: FileFormat | undefined
  contentType: string | undefined
}

/** The format of a file: as it was told, else by its first bytes, which must not say otherwise. */
export const detectFormat = ({ format, contentType }: Told, start: Buffer): FileFormat => {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const text = start.toString('latin1')
  const found = looksLike(text)
  const told = format ?? byType[type] ?? found
  for (const [signature, kind, advice] of strangers) if (signature.test(text)) throw notA(told, kind, advice)
  if (found === told) return told
  // A csv file may begin with any text, but not with what opens a parquet file.
  if (told === 'csv' && found === 'json') return told
  throw notA(told, found, `Say format=${found} if that is what it is`)
}

export type FileFormat = 'csv' | 'json' | 'parquet'

const byType: Record<string, FileFormat> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/json': 'json',
  'application/x-ndjson': 'json',
  'application/jsonl': 'json',
  'application/vnd.apache.parquet': 'parquet',
  'application/x-parquet': 'parquet',
}

/** The format of a file that came without one: by its content type, then by its first bytes. */
export const detectFormat = (contentType: string | undefined, start: Buffer): FileFormat => {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const named = byType[type]
  if (named !== undefined) return named
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet'
  return /^\s*[[{]/.test(start.toString('utf8')) ? 'json' : 'csv'
}

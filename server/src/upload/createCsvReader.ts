import { isUtf8 } from 'node:buffer'
import { refuse } from '../http/HttpError.js'

export interface CsvReader {
  /** A part of the file; gives the same with every line ended by a line feed. */
  feed(chunk: Buffer): Buffer
  /** Says that there is no more, and gives the names in the header, and how many rows follow it. */
  end(): { names: string[]; rows: number }
}

const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d]
const maxHeaderBytes = 1_048_576
/** DuckDB refuses a longer row only where the row fits into its buffer, of 16 times its own limit. */
export const maxRowBytes = 2_000_000

/** The names of a header line. Blanks around one without quotes are no part of it. */
const readNames = (header: string): string[] => {
  const field = /(?:"((?:[^"]|"")*)"|((?!")[^,]*))(?:,|$)/gy
  const names: string[] = []
  for (;;) {
    const found = field.exec(header)
    if (found === null) throw refuse(400, 'invalid-upload', 'The header line has a quote within a name.')
    names.push(found[1]?.replaceAll('""', '"') ?? found[2]!.trim())
    if (!found[0].endsWith(',')) return names
  }
}

const listed = (values: Iterable<unknown>) => [...values].slice(0, 20).join(', ')

const checkNames = (names: readonly string[]): void => {
  const nameless = names.flatMap((name, at) => (name === '' ? [at + 1] : []))
  const seen = new Set<string>()
  const doubled = new Set<string>()
  for (const name of names) {
    if (seen.has(name.toLowerCase())) doubled.add(JSON.stringify(name))
    seen.add(name.toLowerCase())
  }
  if (nameless.length > 0) {
    const where = nameless.length === 1 ? 'column' : 'columns'
    throw refuse(400, 'invalid-upload', `The header has no name for ${where} ${listed(nameless)}.`)
  }
  if (names.some((name) => name.includes('\0')))
    throw refuse(400, 'invalid-upload', 'A name in the header holds the character U+0000.')
  if (doubled.size > 0) {
    const why = 'case makes no difference to SQL'
    throw refuse(400, 'invalid-upload', `The header names ${listed(doubled)} more than once (${why}).`)
  }
}

/** Counts the rows of a file as DuckDB does, the header as the first, and finds one that is too long for it. */
const countRows = () => {
  let ended = 0
  let blank = 0
  /** Of the row that has not ended. */
  let bytes = 0
  let tooLong: number | undefined
  const grow = (more: number) => {
    bytes += more
    if (bytes > maxRowBytes) tooLong ??= ended + 1
  }
  const end = () => {
    ended++
    if (bytes === 0) blank++
    bytes = 0
  }
  return {
    grow,
    end,
    /** Takes a part of the file in which every line feed ends a row. */
    takeLines(chunk: Buffer) {
      let start = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
        grow(at - start)
        end()
        start = at + 1
      }
      grow(chunk.length - start)
    },
    /** How many rows follow the header. A blank line is one where there is one column, and nothing elsewhere. */
    count(columns: number): number {
      if (tooLong !== undefined) {
        const most = maxRowBytes.toLocaleString('en')
        const advice = 'Send such values in a json or parquet file'
        throw refuse(400, 'invalid-upload', `Row ${tooLong} has more than ${most} bytes. ${advice}.`)
      }
      return ended + (bytes > 0 ? 1 : 0) - (columns === 1 ? 0 : blank) - 1
    },
  }
}

/**
 * Reads ahead of DuckDB, which takes one kind of line end in a file, calls columns without a name and
 * doubled ones by names of its own, reads text that is cut off within quotes at a guess, and leaves out a
 * last row that is longer than its buffer.
 */
export const createCsvReader = (): CsvReader => {
  let place: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  /** A line feed that comes now belongs to the line end before it. */
  let isReturned = false
  let isInHeader = true
  let header = Buffer.alloc(0)
  const rows = countRows()

  const keepHeader = (part: Buffer) => {
    header = Buffer.concat([header, part])
    if (header.length > maxHeaderBytes)
      throw refuse(400, 'invalid-upload', 'The header is longer than 1 MiB.')
  }

  return {
    feed(chunk) {
      const isSimple = place !== 'quoted' && !isReturned && !isInHeader
      if (isSimple && !chunk.includes(quote) && !chunk.includes(carriageReturn)) {
        rows.takeLines(chunk)
        const last = chunk.at(-1)
        if (last !== undefined) place = last === comma || last === lineFeed ? 'start' : 'plain'
        return chunk
      }
      const out = Buffer.allocUnsafe(chunk.length)
      let length = 0
      let rowStart = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!
        if (place === 'quoted') {
          if (byte === quote) place = 'closing'
        } else if (byte === carriageReturn || byte === lineFeed) {
          const isSecond = byte === lineFeed && isReturned
          isReturned = byte === carriageReturn
          if (isSecond) continue
          place = 'start'
          if (isInHeader) keepHeader(out.subarray(0, length))
          isInHeader = false
          rows.grow(length - rowStart)
          rows.end()
          out[length++] = lineFeed
          rowStart = length
          continue
        } else if (byte === quote && place !== 'plain') place = 'quoted'
        else place = byte === comma ? 'start' : 'plain'
        isReturned = false
        out[length++] = byte
      }
      const rest = out.subarray(0, length)
      rows.grow(length - rowStart)
      if (isInHeader) keepHeader(rest)
      return rest
    },
    end() {
      if (place === 'quoted')
        throw refuse(400, 'invalid-upload', 'The file ends within quotes: a text was opened and not closed.')
      if (!isUtf8(header)) throw refuse(400, 'invalid-upload', 'Row 1 holds bytes that are not UTF-8.')
      const names = readNames(header.toString('utf8'))
      checkNames(names)
      return { names, rows: rows.count(names.length) }
    },
  }
}

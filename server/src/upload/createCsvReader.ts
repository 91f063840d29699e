import { isUtf8 } from 'node:buffer'
import { refuse } from '../http/HttpError.js'

export interface CsvReader {
  /** Takes a part of the file, and returns it with a line feed as the end of every line. */
  feed(chunk: Buffer): Buffer
  /** Call it after the last part. It returns the names in the header, and how many rows follow it. */
  end(): { names: string[]; rows: number }
}

const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d]
const maxHeaderBytes = 1_048_576
/** DuckDB's buffer has 16 times its limit for a row. It refuses a row over the limit only when the row fits into the buffer. */
export const maxRowBytes = 2_000_000

/** Reads the names of a header line. Blanks around a name without quotes are not part of it. */
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

/** Counts the rows of a file as DuckDB does, with the header as the first, and finds a row that is too long. */
const countRows = () => {
  let ended = 0
  let blank = 0
  /** The length of the row that has not ended. */
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
    /** How many rows follow the header. A blank line is a row only when there is one column. */
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
 * Reads a file before DuckDB does, unifies its line ends, and refuses what DuckDB would read wrongly. DuckDB takes
 * only one kind of line end in a file. It gives columns without a name, or with a repeated one, names of its own.
 * It guesses at text that is cut off within quotes. It leaves out a last row that is longer than its buffer.
 */
export const createCsvReader = (): CsvReader => {
  let field: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  /** Whether the last byte was a carriage return: a line feed that comes now belongs to the same line end. */
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
      const isSimple = field !== 'quoted' && !isReturned && !isInHeader
      if (isSimple && !chunk.includes(quote) && !chunk.includes(carriageReturn)) {
        rows.takeLines(chunk)
        const last = chunk.at(-1)
        if (last !== undefined) field = last === comma || last === lineFeed ? 'start' : 'plain'
        return chunk
      }
      const out = Buffer.allocUnsafe(chunk.length)
      let length = 0
      let rowStart = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!
        if (field === 'quoted') {
          if (byte === quote) field = 'closing'
        } else if (byte === carriageReturn || byte === lineFeed) {
          const isSecond = byte === lineFeed && isReturned
          isReturned = byte === carriageReturn
          if (isSecond) continue
          field = 'start'
          if (isInHeader) keepHeader(out.subarray(0, length))
          isInHeader = false
          rows.grow(length - rowStart)
          rows.end()
          out[length++] = lineFeed
          rowStart = length
          continue
        } else if (byte === quote && field !== 'plain') field = 'quoted'
        else field = byte === comma ? 'start' : 'plain'
        isReturned = false
        out[length++] = byte
      }
      const rest = out.subarray(0, length)
      rows.grow(length - rowStart)
      if (isInHeader) keepHeader(rest)
      return rest
    },
    end() {
      if (field === 'quoted')
        throw refuse(400, 'invalid-upload', 'The file ends within quotes: a text was opened and not closed.')
      if (!isUtf8(header)) throw refuse(400, 'invalid-upload', 'Row 1 holds bytes that are not UTF-8.')
      const names = readNames(header.toString('utf8'))
      checkNames(names)
      return { names, rows: rows.count(names.length) }
    },
  }
}

import { isUtf8 } from 'node:buffer'
import { refuse } from '../http/HttpError.js'

/** How a csv file is written. */
export interface CsvDialect {
  /** The character between two fields. */
  delimiter: string
  /** Whether the first row has the names of the columns. */
  header: boolean
  /** The number of the first row: 2 behind the line that names the delimiter. */
  firstRow: number
}

export interface CsvReader {
  /** Takes a part of the file, and returns it with a line feed as the end of every line. */
  feed(chunk: Buffer): Buffer
  /** Call it after the last part. It returns the names of the columns, and how many rows have values of them. */
  end(): { names: string[]; rows: number; dialect: CsvDialect }
}

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d]
const maxHeaderBytes = 1_048_576
/** DuckDB's buffer has 16 times its limit for a row. It refuses a row over the limit only when the row fits into the buffer. */
export const maxRowBytes = 2_000_000

/** The first one that is possible is taken. In rows without names, commas may stand before fractions in each. */
const delimitersOf = (hasHeader: boolean) => (hasHeader ? [',', ';', '\t', '|'] : [';', '\t', '|', ','])

/** How many fields each of the first rows has. The last counts only where the file ends with it. */
const widthsOf = (start: string, delimiter: string, isWhole: boolean): number[] => {
  const widths: number[] = []
  let width = 1
  let isRow = false
  let isAtStart = true
  const end = () => {
    if (isRow) widths.push(width)
    width = 1
    isRow = false
  }
  for (let at = 0; at < start.length; at++) {
    const sign = start[at]!
    const isEnd = sign === '\n' || sign === '\r'
    if (isEnd) end()
    else isRow = true
    if (sign === delimiter) width++
    if (sign === '"' && isAtStart) {
      for (at++; at < start.length && (start[at] !== '"' || start[at + 1] === '"'); at++)
        if (start[at] === '"') at++
    }
    isAtStart = isEnd || sign === delimiter
  }
  if (isWhole) end()
  return widths
}

/** The delimiter by which most rows have as many fields as the first, and that more than one. */
const findDelimiter = ({ start, isWhole, header = true }: CsvStart): string => {
  const text = start.toString('latin1')
  let best = { delimiter: ',', share: 0.5 }
  for (const delimiter of delimitersOf(header)) {
    const widths = widthsOf(text, delimiter, isWhole)
    const [width = 1] = widths
    const share = widths.filter((each) => each === width).length / widths.length
    if (width > 1 && share > best.share) best = { delimiter, share }
  }
  return best.delimiter
}

/** Excel writes such a first line, and takes the delimiter from it. */
const delimiterLine = /^("?)sep=(.)\1(?:\r\n|\r|\n|$)/i

/** Reads the fields of the first row. Blanks around a field without quotes are not part of it. */
const readFields = (row: string, { delimiter, firstRow }: CsvDialect): string[] => {
  const sign = String.raw`\x${delimiter.charCodeAt(0).toString(16).padStart(2, '0')}`
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|((?!")[^${sign}]*))(?:${sign}|$)`, 'gy')
  const fields: string[] = []
  for (;;) {
    const found = field.exec(row)
    if (found === null) throw refuse(400, 'invalid-upload', `Row ${firstRow} has a quote within a field.`)
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2]!.trim())
    if (!found[0].endsWith(delimiter)) return fields
  }
}

/** The name of a column that the file gives none, as DuckDB would name it. */
const nameOf = (at: number, others: readonly string[]): string => {
  let name = `column${at}`
  while (others.some((other) => other.toLowerCase() === name)) name += '_'
  return name
}

/** The first column may have no name: pandas and R write one, of the rows' numbers. */
const readNames = (fields: readonly string[], { header }: CsvDialect): string[] => {
  if (!header) return fields.map((_, at) => `column${at}`)
  const [first, ...others] = fields
  return [first === '' && others.length > 0 ? nameOf(0, others) : first!, ...others]
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

/** Says that a row has not as many fields as the first one. */
export const widthMessage = (
  { header, firstRow }: Pick<CsvDialect, 'header' | 'firstRow'>,
  row: number,
  [found, wanted]: readonly [number, number],
): string =>
  `Row ${row} has ${found} fields where ${header ? `the header, which is row ${firstRow},` : `row ${firstRow}`} has ${wanted}.`

/**
 * Counts the rows of a file as DuckDB does, with the header as the first, and finds a row that is too long, or has more
 * fields than the first: DuckDB leaves empty ones at its end out.
 */
const countRows = ({ firstRow, header, delimiter: sign }: CsvDialect) => {
  const delimiter = sign.charCodeAt(0)
  let ended = 0
  let blank = 0
  /** The length of the row that has not ended, and how many fields of it have. */
  let [bytes, fields] = [0, 0]
  let width: number | undefined
  let tooLong: number | undefined
  let tooWide: string | undefined
  const grow = (more: number) => {
    bytes += more
    if (bytes > maxRowBytes) tooLong ??= firstRow + ended
  }
  const endField = () => void fields++
  /** `isFilled` says that the last field surely holds something: DuckDB refuses one too many by itself then. */
  const end = (isFilled = false) => {
    width ??= fields
    if (fields > width && !isFilled)
      tooWide ??= widthMessage({ header, firstRow }, firstRow + ended, [fields + 1, width + 1])
    ended++
    if (bytes === 0) blank++
    bytes = fields = 0
  }
  const endFields = (chunk: Buffer, from: number, until: number) => {
    for (
      let at = chunk.indexOf(delimiter, from);
      at >= 0 && at < until;
      at = chunk.indexOf(delimiter, at + 1)
    )
      endField()
  }
  return {
    grow,
    endField,
    end,
    /** Takes a part of the file in which every line feed ends a row, and every delimiter a field. */
    takeLines(chunk: Buffer) {
      let start = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
        // Most rows end with a value, and DuckDB counts the fields of those.
        if (bytes > 0 || chunk[at - 1] === delimiter) endFields(chunk, start, at)
        grow(at - start)
        end()
        start = at + 1
      }
      endFields(chunk, start, chunk.length)
      grow(chunk.length - start)
    },
    /** How many rows there are. A blank line is one only when there is one column. */
    count(columns: number): number {
      if (bytes > 0) end()
      if (tooWide !== undefined) throw refuse(400, 'invalid-upload', tooWide)
      if (tooLong !== undefined) {
        const most = maxRowBytes.toLocaleString('en')
        const advice = 'Send such values in a json or parquet file'
        throw refuse(400, 'invalid-upload', `Row ${tooLong} has more than ${most} bytes. ${advice}.`)
      }
      return ended - (columns === 1 ? 0 : blank)
    },
  }
}

export interface CsvStart extends Partial<Omit<CsvDialect, 'firstRow'>> {
  /** The first bytes of the file. */
  start: Buffer
  /** Whether that is all of it. */
  isWhole: boolean
}

/**
 * Reads a file before DuckDB does, unifies its line ends, and refuses what DuckDB would read wrongly. DuckDB takes
 * only one kind of line end in a file. It gives columns without a name, or with a repeated one, names of its own.
 * It guesses at text that is cut off within quotes. It leaves out a last row that is longer than its buffer.
 */
export const createCsvReader = (given: CsvStart): CsvReader => {
  const marked = delimiterLine.exec(given.start.toString('latin1'))
  /** How many bytes are left of a line that names the delimiter. */
  let skipped = marked?.[0].length ?? 0
  const dialect: CsvDialect = {
    delimiter: given.delimiter ?? marked?.[2] ?? findDelimiter(given),
    header: given.header ?? true,
    firstRow: marked === null ? 1 : 2,
  }
  const { firstRow } = dialect
  const delimiter = dialect.delimiter.charCodeAt(0)
  let field: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  /** Whether the last byte was a carriage return: a line feed that comes now belongs to the same line end. */
  let isReturned = false
  let isInFirst = true
  let first = Buffer.alloc(0)
  const rows = countRows(dialect)

  const keepFirst = (part: Buffer) => {
    first = Buffer.concat([first, part])
    if (first.length > maxHeaderBytes)
      throw refuse(400, 'invalid-upload', `Row ${firstRow} is longer than 1 MiB.`)
  }

  return {
    feed(part) {
      const chunk = part.subarray(skipped)
      skipped -= part.length - chunk.length
      const isSimple = field !== 'quoted' && !isReturned && !isInFirst
      if (isSimple && !chunk.includes(quote) && !chunk.includes(carriageReturn)) {
        rows.takeLines(chunk)
        const last = chunk.at(-1)
        if (last !== undefined) field = last === delimiter || last === lineFeed ? 'start' : 'plain'
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
          if (isInFirst) keepFirst(out.subarray(0, length))
          isInFirst = false
          rows.grow(length - rowStart)
          rows.end(field === 'plain')
          field = 'start'
          out[length++] = lineFeed
          rowStart = length
          continue
        } else if (byte === quote && field !== 'plain') field = 'quoted'
        else if (byte === delimiter) {
          rows.endField()
          field = 'start'
        } else field = 'plain'
        isReturned = false
        out[length++] = byte
      }
      const rest = out.subarray(0, length)
      rows.grow(length - rowStart)
      if (isInFirst) keepFirst(rest)
      return rest
    },
    end() {
      if (field === 'quoted')
        throw refuse(400, 'invalid-upload', 'The file ends within quotes: a text was opened and not closed.')
      if (!isUtf8(first))
        throw refuse(400, 'invalid-upload', `Row ${firstRow} holds bytes that are not UTF-8.`)
      const names = readNames(readFields(first.toString('utf8'), dialect), dialect)
      checkNames(names)
      return { names, rows: rows.count(names.length) - (dialect.header ? 1 : 0), dialect }
    },
  }
}

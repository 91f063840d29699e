import { refuse } from '../http/HttpError.js'

export interface CsvReader {
  /** A part of the file; gives the same with every line ended by a line feed. */
  feed(chunk: Buffer): Buffer
  /** Says that there is no more, and gives the names in the header. */
  end(): string[]
}

const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d]
const maxHeaderBytes = 1_048_576

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

/**
 * Reads ahead of DuckDB, which takes one kind of line end in a file, calls columns without a name and
 * doubled ones by names of its own, and reads text that is cut off within quotes at a guess.
 */
export const createCsvReader = (): CsvReader => {
  let place: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  /** A line feed that comes now belongs to the line end before it. */
  let isReturned = false
  let isInHeader = true
  let header = Buffer.alloc(0)

  const keepHeader = (part: Buffer) => {
    header = Buffer.concat([header, part])
    if (header.length > maxHeaderBytes)
      throw refuse(400, 'invalid-upload', 'The header is longer than 1 MiB.')
  }

  return {
    feed(chunk) {
      const isSimple = place !== 'quoted' && !isReturned && !isInHeader
      if (isSimple && !chunk.includes(quote) && !chunk.includes(carriageReturn)) {
        const last = chunk.at(-1)
        if (last !== undefined) place = last === comma || last === lineFeed ? 'start' : 'plain'
        return chunk
      }
      const out = Buffer.allocUnsafe(chunk.length)
      let length = 0
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
          out[length++] = lineFeed
          continue
        } else if (byte === quote && place !== 'plain') place = 'quoted'
        else place = byte === comma ? 'start' : 'plain'
        isReturned = false
        out[length++] = byte
      }
      const rest = out.subarray(0, length)
      if (isInHeader) keepHeader(rest)
      return rest
    },
    end() {
      if (place === 'quoted')
        throw refuse(400, 'invalid-upload', 'The file ends within quotes: a text was opened and not closed.')
      const names = readNames(header.toString('utf8'))
      checkNames(names)
      return names
    },
  }
}

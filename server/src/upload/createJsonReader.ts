import { refuse } from '../http/HttpError.js'

export interface JsonReader {
  feed(chunk: Buffer): void
  /** Call it after the last part. It returns how many objects the file has, in one list or one after the other. */
  end(): { records: number }
}

const [quote, backslash, brace, bracket, braceEnd, bracketEnd] = [0x22, 0x5c, 0x7b, 0x5b, 0x7d, 0x5d]
/** DuckDB's `maximum_object_size` is 16 MiB, for a record together with the blanks beside it. */
const maxRecordBytes = 16_000_000

/**
 * Checks a file before DuckDB reads it. DuckDB reads a list that was cut off as if it ended there, and refuses
 * a record that is too long only when something stands before or after it.
 */
export const createJsonReader = (): JsonReader => {
  let depth = 0
  let inText = false
  let escaped = false
  let isList = false
  let records = 0
  let tooLong: number | undefined
  /** The positions in the file at which the open record and this chunk begin. */
  let recordAt = 0
  let chunkAt = 0

  const open = (byte: number, at: number) => {
    if (depth === 0) isList = byte === bracket
    if (byte === brace && depth === (isList ? 1 : 0)) {
      records++
      recordAt = chunkAt + at
    }
    depth++
  }
  const close = (byte: number, at: number) => {
    depth--
    const isRecord = byte === braceEnd && depth === (isList ? 1 : 0)
    if (isRecord && chunkAt + at + 1 - recordAt > maxRecordBytes) tooLong ??= records
  }
  return {
    feed(chunk) {
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!
        if (inText) {
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) inText = false
        } else if (byte === quote) inText = true
        else if (byte === brace || byte === bracket) open(byte, at)
        else if (byte === braceEnd || byte === bracketEnd) close(byte, at)
      }
      chunkAt += chunk.length
    },
    end() {
      if (depth !== 0 || inText)
        throw refuse(400, 'invalid-upload', 'The JSON is not complete: a bracket or text is open.')
      if (tooLong !== undefined) {
        const most = maxRecordBytes.toLocaleString('en')
        throw refuse(400, 'invalid-upload', `Record ${tooLong} has more than ${most} bytes.`)
      }
      return { records }
    },
  }
}

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

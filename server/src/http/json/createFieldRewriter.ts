interface FieldRewriterOptions {
  /** The fields whose values are rewritten. */
  fields: ReadonlySet<string>
  /** Gets a text or a number of such a field as it is in the JSON, and gives its replacement. */
  rewrite(token: string, field: string): string
}

interface FieldRewriter {
  /** Takes a part of the document, and gives as much of the new document as is known already. */
  feed(chunk: Buffer): Buffer
}

const [quote, backslash, comma, colon, minus] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
/** Whether a byte belongs to a number: digits, signs, the point and the exponent. The JSON was checked before. */
const isOfNumber = (byte: number) =>
  isDigit(byte) || byte === minus || byte === 0x2b || byte === 0x2e || byte === 0x45 || byte === 0x65

/**
 * Changes single values of records in valid JSON, which is an array of objects or a row of objects. Every other byte
 * stays as it is, because JSON.parse and DuckDB both lose digits of numbers that they write anew.
 */
export const createFieldRewriter = ({ fields, rewrite }: FieldRewriterOptions): FieldRewriter => {
  let depth = 0
  /** The depth of the records' fields: 1 in a row of objects, 2 in an array. */
  let recordDepth = 1
  let field = ''
  let isAtKey = false
  let isInText = false
  let isEscaped = false
  let isInNumber = false
  /** The kind of token that is being gathered. */
  let gathering: 'key' | 'value' | undefined
  /** The part of the token from earlier chunks. */
  let held = ''

  return {
    feed(chunk) {
      const parts: Buffer[] = []
      let from = 0
      let start = 0

      const begin = (what: 'key' | 'value', at: number) => {
        gathering = what
        start = at
        if (what === 'key') return
        parts.push(chunk.subarray(from, at))
        from = at
      }
      /** Ends the token; `end` is the offset of the first byte after it. */
      const finish = (end: number) => {
        if (gathering === undefined) return
        const token = Buffer.concat([Buffer.from(held, 'latin1'), chunk.subarray(start, end)]).toString()
        held = ''
        if (gathering === 'key') field = JSON.parse(token) as string
        else {
          parts.push(Buffer.from(rewrite(token, field)))
          from = end
        }
        gathering = undefined
      }

      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!
        if (isInText) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) {
            isInText = false
            finish(at + 1)
          }
          continue
        }
        if (isInNumber) {
          if (isOfNumber(byte)) continue
          isInNumber = false
          finish(at)
        }
        const isField = depth === recordDepth
        if (byte === quote) {
          isInText = true
          if (isField && isAtKey) begin('key', at)
          else if (isField && fields.has(field)) begin('value', at)
        } else if (byte === minus || isDigit(byte)) {
          isInNumber = true
          if (isField && fields.has(field)) begin('value', at)
        } else if (byte === open || byte === openList) {
          if (depth === 0) recordDepth = byte === open ? 1 : 2
          depth++
          isAtKey = true
        } else if (byte === close || byte === closeList) depth--
        else if (isField && byte === comma) isAtKey = true
        else if (isField && byte === colon) isAtKey = false
      }
      if (gathering !== undefined) {
        held += chunk.toString('latin1', start)
        if (gathering === 'value') from = chunk.length
      }
      parts.push(chunk.subarray(from))
      return Buffer.concat(parts)
    },
  }
}

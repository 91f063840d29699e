export interface FieldRewriterOptions {
  /** The fields of the records whose values are asked for. */
  fields: ReadonlySet<string>
  /** Gets a text or a number of such a field as it stands in the JSON, and gives what shall stand there. */
  rewrite(token: string, field: string): string
}

export interface FieldRewriter {
  /** A part of the document; gives what can be said of it already. */
  feed(chunk: Buffer): Buffer
}

const [quote, backslash, comma, colon, minus] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
/** Signs, the point and the exponent too; what is no number was refused before. */
const isOfNumber = (byte: number) =>
  isDigit(byte) || byte === minus || byte === 0x2b || byte === 0x2e || byte === 0x45 || byte === 0x65

/**
 * Changes single values of records in valid JSON (an array of objects, or objects one after the other)
 * and leaves every other byte alone: JSON.parse and DuckDB both lose digits of what they write again.
 */
export const createFieldRewriter = ({ fields, rewrite }: FieldRewriterOptions): FieldRewriter => {
  let depth = 0
  /** How deep the fields of the records are. */
  let recordDepth = 1
  let field = ''
  let atKey = false
  let inText = false
  let escaped = false
  let inNumber = false
  /** What is being gathered, and the part of it that earlier chunks held. */
  let gathering: 'key' | 'value' | undefined
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
      /** The end is the first byte that is no part of it. */
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
        if (inText) {
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) {
            inText = false
            finish(at + 1)
          }
          continue
        }
        if (inNumber) {
          if (isOfNumber(byte)) continue
          inNumber = false
          finish(at)
        }
        const isField = depth === recordDepth
        if (byte === quote) {
          inText = true
          if (isField && atKey) begin('key', at)
          else if (isField && fields.has(field)) begin('value', at)
        } else if (byte === minus || isDigit(byte)) {
          inNumber = true
          if (isField && fields.has(field)) begin('value', at)
        } else if (byte === open || byte === openList) {
          if (depth === 0) recordDepth = byte === open ? 1 : 2
          depth++
          atKey = true
        } else if (byte === close || byte === closeList) depth--
        else if (isField && byte === comma) atKey = true
        else if (isField && byte === colon) atKey = false
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

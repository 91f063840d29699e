const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * How many fields each record has in valid JSON, which is an array of objects or one object. A name that comes twice
 * counts twice, so a record of fewer names than fields has one twice: JSON.parse reads its last value, DuckDB the first.
 */
export const countFields = (json: Buffer): number[] => {
  const counts: number[] = []
  let depth = 0
  let recordDepth = 1
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      at++
      while (json[at] !== quote) at += json[at] === backslash ? 2 : 1
    } else if (byte === open || byte === openList) {
      if (depth === 0 && byte === openList) recordDepth = 2
      if (++depth === recordDepth) counts.push(0)
    } else if (byte === close || byte === closeList) depth--
    else if (byte === colon && depth === recordDepth) counts[counts.length - 1]!++
  }
  return counts
}

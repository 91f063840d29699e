const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]

/** The items of a JSON array in their own bytes: JSON.parse would lose digits. */
export const splitArray = (array: Buffer): Buffer[] => {
  const items: Buffer[] = []
  let depth = 0
  let from = 0
  let isInText = false
  const take = (end: number) => {
    const item = array.subarray(from, end)
    if (item.some((byte) => byte > 0x20)) items.push(item)
    from = end + 1
  }
  for (let at = 0; at < array.length; at++) {
    const byte = array[at]
    if (isInText) {
      if (byte === backslash) at++
      else if (byte === quote) isInText = false
    } else if (byte === quote) isInText = true
    else if (byte === open || byte === openList) {
      if (depth++ === 0) from = at + 1
    } else if (byte === close || byte === closeList) {
      if (--depth === 0) take(at)
    } else if (byte === comma && depth === 1) take(at)
  }
  return items
}

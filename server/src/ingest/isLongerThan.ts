/** Whether a text has more than `most` Unicode code points; a surrogate pair is one. */
export const isLongerThan = (text: string, most: number): boolean => {
  // A code point takes one or two UTF-16 units, so most texts are decided by their length alone.
  if (text.length <= most) return false
  if (text.length > 2 * most) return true
  let points = 0
  for (let at = 0; at < text.length; points++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return points > most
}

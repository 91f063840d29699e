/** How many letters differ, at least: inserted, left out or another. */
export const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let y = 1; y <= a.length; y++) {
    const next = [y]
    for (let x = 1; x <= b.length; x++)
      next[x] = Math.min(row[x]! + 1, next[x - 1]! + 1, row[x - 1]! + (a[y - 1] === b[x - 1] ? 0 : 1))
    row = next
  }
  return row.at(-1)!
}

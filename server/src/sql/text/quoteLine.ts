/** How many characters of a long line are shown on each side of the mistake. */
const shownAround = 60

/** Quotes a line with a caret below, as DuckDB does: `LINE 1: SELECT a FORM b`. Lines and columns count from 1. */
export const quoteLine = (statement: string, { line, column }: { line: number; column: number }): string => {
  const text = statement.split('\n')[line - 1]
  if (text === undefined || column < 1) return ''
  // Columns count characters, and texts have UTF-16 code units.
  const at = [...text].slice(0, column - 1).join('').length
  const from = Math.max(0, at - shownAround)
  const until = at + shownAround
  const head = `LINE ${line}: ${from > 0 ? '...' : ''}`
  const tail = until < text.length ? '...' : ''
  return `\n\n${head}${text.slice(from, until)}${tail}\n${' '.repeat(head.length + at - from)}^`
}

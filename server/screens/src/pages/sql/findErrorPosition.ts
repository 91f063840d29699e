/** A place in a statement, which a message names. */
export interface ErrorPosition {
  /** From 1. */
  line: number
  /** From 1, in UTF-16 code units. */
  column: number
  /** Where it is in the whole statement, from 0. */
  offset: number
}

/** DuckDB shows at most so much of a long line, and puts dots where it was cut. */
const dots = '...'

/**
 * Where in the statement the mistake is that a message of DuckDB tells of. It quotes the line with a caret below:
 *
 *     LINE 2:   FROM eventz
 *                    ^
 */
export function findErrorPosition(statement: string, message: string): ErrorPosition | undefined {
  const found = /^(LINE (\d+): )(.*)\n( *)\^/m.exec(message)
  if (!found) return undefined
  const [, label = '', number = '', quoted = '', before = ''] = found
  const line = Number(number)
  const lines = statement.split('\n')
  const text = lines[line - 1]
  if (text === undefined) return undefined
  const isCut = quoted.startsWith(dots)
  const shown = quoted.slice(isCut ? dots.length : 0, quoted.endsWith(dots) ? -dots.length : undefined)
  const start = text.indexOf(shown)
  if (start === -1) return undefined
  const column = start + before.length - label.length - (isCut ? dots.length : 0)
  if (column < 0 || column > text.length) return undefined
  const linesBefore = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  return { line, column: column + 1, offset: linesBefore + column }
}

/** A message without the quoted line: the statement stands right above it. */
export const withoutQuote = (message: string): string =>
  message.replace(/\n*^LINE \d+: .*\n *\^\n*/m, '\n\n').trim()

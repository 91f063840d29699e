import type { Translation } from './translation.js'

type Problem = Extract<Translation, { problem: string }>

/** How many characters of a long line are shown on each side of the mistake. */
const shownAround = 60

/** Quotes the line with a caret below, as DuckDB does: `LINE 1: SELECT a FORM b` */
const quoteLine = (statement: string, { line, column }: Problem): string => {
  const text = statement.split('\n')[line - 1]
  if (text === undefined || column < 1) return ''
  // The transpiler counts characters, and texts have UTF-16 code units.
  const at = [...text].slice(0, column - 1).join('').length
  const from = Math.max(0, at - shownAround)
  const until = at + shownAround
  const head = `LINE ${line}: ${from > 0 ? '...' : ''}`
  const tail = until < text.length ? '...' : ''
  return `\n\n${head}${text.slice(from, until)}${tail}\n${' '.repeat(head.length + at - from)}^`
}

const inOwnWords = (problem: string): string =>
  problem
    .replace(/^.*? error at line \d+, column \d+: /, '')
    .replace(
      /^E_GUARD_(\w+)_EXCEEDED: value (\d+) exceeds configured limit (\d+)$/,
      (_, what: string, found: string, most: string) =>
        `its ${what.toLowerCase().replaceAll('_', ' ')} is ${found}, and ${most} is the most`,
    )

/** Says what is wrong with a statement, and where, in the words of the reader of its dialect. */
export const describeProblem = (statement: string, dialect: string, problem: Problem): string => {
  const place = problem.line > 0 ? `, line ${problem.line}, column ${problem.column}` : ''
  return `The statement cannot be read as ${dialect}${place}: ${inOwnWords(problem.problem)}. So it was not translated, and not run.${quoteLine(statement, problem)}`
}

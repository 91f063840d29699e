import type { SqlToken } from './tokenize.js'

/** Replaces the characters of a statement from `start` to `end` by `text`. */
export interface Edit {
  start: number
  end: number
  text: string
}

export const applyEdits = (text: string, edits: readonly Edit[]): string => {
  let done = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    done += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return done + text.slice(at)
}

/** Where a place of the edited text stands in the text before; undefined within what an edit has written. */
export const placeBefore = (edits: readonly Edit[], place: number): number | undefined => {
  let grown = 0
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    const begin = start + grown
    if (place < begin) break
    // What begins with the text of an edit began with what the edit has replaced.
    if (place < begin + text.length) return place === begin && end > start ? start : undefined
    grown += text.length - (end - start)
  }
  return place - grown
}

/** Collects the edits of one statement. An edit is of whole tokens, or stands beside one, so that edits nest. */
export class Edits {
  readonly tokens: readonly SqlToken[]
  readonly #replaced: Edit[] = []
  readonly #before: Edit[] = []
  readonly #after: Edit[] = []
  readonly #taken = new Set<number>()

  constructor(tokens: readonly SqlToken[]) {
    this.tokens = tokens
  }

  replace(from: number, to: number, text: string): void {
    this.#replaced.push({ start: this.tokens[from]!.start, end: this.tokens[to]!.end, text })
    for (let at = from; at <= to; at++) this.#taken.add(at)
  }

  before(at: number, text: string): void {
    const { start } = this.tokens[at]!
    this.#before.push({ start, end: start, text })
  }

  after(at: number, text: string): void {
    const { end } = this.tokens[at]!
    this.#after.push({ start: end, end, text })
  }

  /** Whether a token is replaced already. */
  isTaken(at: number): boolean {
    return this.#taken.has(at)
  }

  /** At one place an edit that ends comes first, then one that begins: the later, which is the outer one, before. */
  list(): Edit[] {
    return [...this.#after, ...this.#before.toReversed(), ...this.#replaced]
  }
}

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

/** What takes the room of two letters, by which DuckDB moves its caret. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u

/** Where in a statement the caret of a message's quoted line stands; undefined where that is not certain. */
export const findQuoted = (statement: string, message: string): number | undefined => {
  const [, label = '', number, quoted = '', before = ''] =
    [...message.matchAll(/^(LINE (\d+): (?:\.\.\.)?)(.*)\n( *)\^/gm)].at(-1) ?? []
  const lines = statement.split('\n')
  const line = lines[Number(number) - 1]
  if (line === undefined) return undefined
  const shown = line.includes(quoted) ? quoted : quoted.replace(/\.\.\.$/, '')
  const start = label.endsWith('...') ? line.indexOf(shown) : 0
  if (!line.startsWith(shown, start) || (start > 0 && line.includes(shown, start + 1))) return undefined
  let at = lines.slice(0, Number(number) - 1).reduce((sum, each) => sum + each.length + 1, start)
  let left = before.length - label.length
  for (const letter of shown) {
    if (left <= 0) break
    left -= wide.test(letter) ? 2 : 1
    at += letter.length
  }
  return left === 0 ? at : undefined
}

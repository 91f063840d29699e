import { tokenize, type SqlToken } from '../guard/tokenize.js'

/**
 * DuckDB's suggester takes about three times as long for each bracket that is still open: 30 ms for
 * four, 0.4 s for seven, 20 s for twelve; it cannot be interrupted, and with hundreds of them it ends
 * the process. Long statements it reads in a tenth of a second for 10,000 characters.
 */
const maxOpen = 3
const maxDepth = 100
const maxLength = 10_000

const opener: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** Texts and odd names without what is in them, so that no other reading finds brackets there. */
const write = (token: SqlToken): string => {
  if (token.kind === 'text') return "''"
  return token.kind === 'name' ? `"${token.text.replaceAll(/[^\w ]/g, '_')}"` : token.text
}

const writeFrom = (tokens: readonly SqlToken[], from: number): string =>
  tokens
    .slice(from)
    .map((token, at) => {
      const before = at === 0 ? undefined : tokens[from + at - 1]
      return `${before !== undefined && before.end < token.start ? ' ' : ''}${write(token)}`
    })
    .join('')

/**
 * The end of a statement as DuckDB's suggester may read it: from the innermost brackets on, when
 * more are open. Undefined where nothing of it is safe, or nothing could be suggested.
 */
export const trimStatement = (statement: string): string | undefined => {
  const { tokens, problem } = tokenize(statement)
  const left = statement.slice(tokens.at(-1)?.end ?? 0)
  // A quoted name may still be open; an open text or comment has nothing to suggest.
  if (problem !== undefined && !/^\s*"[^()[\]{}"]*$/.test(left)) return undefined
  const rest = problem === undefined ? left.replace(/\S.*/s, ' ') : left

  let open: number[] = []
  let start = 0
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'symbol') continue
    if (text === ';') {
      start = at + 1
      open = []
    } else if ('([{'.includes(text)) {
      if (open.push(at) > maxDepth) return undefined
    } else if (opener[text] !== undefined && tokens[open.at(-1) ?? -1]?.text === opener[text]) open.pop()
  }
  const outer = open.length > maxOpen ? open.at(-maxOpen)! : undefined
  for (const from of [outer ?? start, open.at(-1)]) {
    if (from === undefined) break
    const text = `${from === start ? '' : 'SELECT '}${writeFrom(tokens, from)}${rest}`
    if (text.length <= maxLength) return text
  }
  return undefined
}

import type { SqlToken } from './tokenize.js'

/** A relation follows these words, and after each comma another one. */
const listing = new Set(['from', 'join', 'using'])
const single = new Set(
  'describe desc summarize show table pivot pivot_wider pivot_longer unpivot update into only'.split(' '),
)
const endsList = new Set(
  'where group order having limit offset window qualify select union intersect except set values returning'.split(
    ' ',
  ),
)
/** These words may also be the name of a relation, and then the list goes on. */
const aliases = new Set(['set', 'values'])
/** In these calls FROM begins no list of relations: `extract(year FROM x)`. */
const withFrom = new Set(['extract', 'trim', 'substring', 'substr', 'overlay', 'position'])
/** Functions whose first argument names a table. */
const ofTable = new Set(['histogram', 'histogram_values'])

const ending = /\.(?:parquet|csv|tsv|txt|json|jsonl|ndjson|arrow|avro|xlsx|db|duckdb)\b/i

/**
 * Finds the first relation of a statement that names a file. The locked engine can still read its own
 * temporary folder, and other users' exports are written there.
 */
export const findFile = (tokens: readonly SqlToken[]): string | undefined => {
  const levels = [{ lists: false, call: '' }]
  let wanted = false
  for (let at = 0; at < tokens.length; at++) {
    const { kind, text, start } = tokens[at]!
    const level = levels.at(-1)!
    const word = kind === 'word' ? text.toLowerCase() : ''
    const before = tokens[at - 1]
    if (kind === 'symbol') {
      if (text === '(' || text === '[' || text === '{') {
        const call = before?.kind === 'word' ? before.text.toLowerCase() : ''
        levels.push({ lists: wanted && text === '(', call })
        wanted = (wanted && text === '(') || ofTable.has(call)
      } else if (text === ')' || text === ']' || text === '}') {
        if (levels.length > 1) levels.pop()
        wanted = false
      } else wanted = (text === ',' || text === ':') && level.lists
      continue
    }
    const isComparison =
      word === 'from' &&
      /^distinct$/i.test(before?.text ?? '') &&
      /^(is|not)$/i.test(tokens[at - 2]?.text ?? '')
    if (listing.has(word) && !isComparison && !(word === 'from' && withFrom.has(level.call))) {
      wanted = true
      level.lists = true
    } else if (single.has(word)) wanted = true
    else if (endsList.has(word) && (wanted || !aliases.has(word))) {
      wanted = false
      level.lists = false
      if (word === 'select') level.call = ''
    } else if (wanted) {
      wanted = false
      let path = text
      for (; tokens[at + 1]?.text === '.' && tokens[at + 2] !== undefined; at += 2)
        path += `.${tokens[at + 2]!.text}`
      // A text with a prefix may stand for anything, so it counts as a file.
      const next = tokens[at + 1]
      const isPrefix =
        kind === 'word' &&
        next !== undefined &&
        next.start === start + text.length &&
        (next.kind === 'text' || next.text === '&')
      if (isPrefix) return `${text}${next.text}`
      const isFile = kind === 'text' ? /[./\\]/.test(text) : /[/\\]/.test(path) && ending.test(path)
      if (isFile) return path
    }
  }
  return undefined
}

/** One word or sign of a statement, and where it stands among the brackets `(`, `[` and `{`. */
export interface SqlToken {
  /** A word is an identifier or keyword as written; a name is a quoted identifier, unquoted. */
  kind: 'word' | 'name' | 'text' | 'symbol'
  text: string
  start: number
  end: number
  /** The index of the bracket inside which it stands; -1 outside of all. */
  around: number
  /** How many brackets are open around it. */
  depth: number
  /** The index of a bracket's other half; -1 where there is none. */
  pair: number
}

const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** A token outside of all brackets. It has all fields from the start: adding them later takes ten times as long. */
export const newToken = (kind: SqlToken['kind'], text: string, start: number, end: number): SqlToken => ({
  kind,
  text,
  start,
  end,
  around: -1,
  depth: 0,
  pair: -1,
})

/**
 * Notes at each token the brackets around it. A bracket is closed by one of its own kind alone, and by none behind a
 * semicolon: what is left open, or closes nothing, no database takes for a statement.
 */
export const placeTokens = (tokens: SqlToken[]): SqlToken[] => {
  const open: number[] = []
  for (const [at, token] of tokens.entries()) {
    const sign = token.kind === 'symbol' ? token.text : ''
    if (sign === ';') open.length = 0
    const last = open.at(-1) ?? -1
    if (last >= 0 && tokens[last]!.text === opening[sign]) {
      open.pop()
      token.pair = last
      tokens[last]!.pair = at
    }
    token.around = open.at(-1) ?? -1
    token.depth = open.length
    if (sign === '(' || sign === '[' || sign === '{') open.push(at)
  }
  return tokens
}

export const isSymbol = (token: SqlToken | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text

/** Whether it is half a bracket. */
export const isUnmatched = ({ kind, text, pair }: SqlToken): boolean =>
  kind === 'symbol' && pair < 0 && '()[]{}'.includes(text)

/** Whether it opens a bracket that none of its kind closes. */
export const isUnclosed = (token: SqlToken): boolean => isUnmatched(token) && '([{'.includes(token.text)

export const isName = (token: SqlToken | undefined): token is SqlToken =>
  token?.kind === 'word' || token?.kind === 'name'

/** A keyword or plain name in small letters; empty for what is in quotes, and for what is no word. */
export const wordOf = (token: SqlToken | undefined): string =>
  token?.kind === 'word' ? token.text.toLowerCase() : ''

/** A word, or a name in quotes, in small letters; empty for anything else. */
export const lowerName = (token: SqlToken | undefined): string =>
  isName(token) ? token.text.toLowerCase() : ''

export interface Scan {
  tokens: SqlToken[]
  /** Says what cannot be read for certain; the statement is refused for that. */
  problem?: string
  /** Where what cannot be read begins. */
  place?: number
}

const spaces = /[ \t\n\r\f]+/y
/** DuckDB takes these for spaces, but only where its own reading of quotes finds them; see `withPlainSpaces`. */
const oddSpace = /[\u00a0\u2000-\u200a\u202f\u205f\u3000\ufeff]/g
const isOddSpace = (letter: string) => letter > '\u007f' && letter.replace(oddSpace, '') === ''
const word = /[\p{L}_][\p{L}\p{N}\p{M}_$]*/uy
const number = /\d[\d_.]*e[+-]\d+|\d[\w.]*/iy
const dollarTag = /\$(?:[\p{L}_][\p{L}\p{N}\p{M}_]*)?\$/uy

/** Whether a token is the `e` of `e'…'`, a text in which a backslash has a meaning. */
const isEscaping = (token: SqlToken | undefined, textStart: number): boolean =>
  token?.kind === 'word' && token.end === textStart && token.text.toLowerCase() === 'e'

/**
 * Replaces odd spaces between tokens by plain ones; the length of the SQL stays. DuckDB finds odd spaces by
 * a reading of quotes that knows neither comments nor backslashes. An odd space that it misses would
 * become part of a name.
 */
export const withPlainSpaces = (sql: string, tokens: readonly SqlToken[]): string => {
  let plain = ''
  let at = 0
  for (const { start, end } of tokens) {
    plain += sql.slice(at, start).replaceAll(oddSpace, ' ') + sql.slice(start, end)
    at = end
  }
  return plain + sql.slice(at).replaceAll(oddSpace, ' ')
}

/**
 * Cuts SQL into tokens the way DuckDB's grammar does, so that the guard judges what will be run.
 * Where two readings are thinkable it gives up: a wrong guess would be a way around the guard.
 */
export const tokenize = (sql: string, maxTokens = Infinity): Scan => {
  const tokens: SqlToken[] = []
  let at = 0
  const stop = (problem: string, place = at): Scan => ({ tokens: placeTokens(tokens), problem, place })
  const push = (kind: SqlToken['kind'], text: string, start: number) => {
    tokens.push(newToken(kind, text, start, at))
  }

  /** Moves behind what stands here, if it is of this kind. */
  const skip = (kind: RegExp): boolean => {
    kind.lastIndex = at
    if (!kind.test(sql)) return false
    at = kind.lastIndex
    return true
  }

  /** Moves behind the closing quote; false when there is none. */
  const skipQuoted = (quote: string, backslash: boolean): boolean => {
    for (at++; at < sql.length; at++) {
      if (backslash && sql[at] === '\\') at++
      else if (sql[at] === quote) {
        if (sql[at + 1] !== quote) {
          at++
          return true
        }
        at++
      }
    }
    return false
  }

  while (at < sql.length) {
    if (tokens.length > maxTokens) return stop(`The statement has more than ${maxTokens} words and signs.`)
    const start = at
    if (skip(spaces)) continue
    if (skip(word)) {
      push('word', sql.slice(start, at), start)
      continue
    }
    const letter = String.fromCodePoint(sql.codePointAt(at)!)
    if (letter === '\0') return stop('The statement holds a null character.')
    if (isOddSpace(letter)) at++
    else if (sql.startsWith('--', at)) {
      while (at < sql.length && sql[at] !== '\n' && sql[at] !== '\r') at++
    } else if (sql.startsWith('/*', at)) {
      const end = sql.indexOf('*/', at + 2)
      if (end < 0) return stop('A comment is not closed.')
      // The slice includes the closing star, because `/*/*/` opens two comments.
      if (sql.slice(at + 2, end + 1).includes('/*')) return stop('A comment stands inside another comment.')
      at = end + 2
    } else if (letter === "'") {
      const before = tokens.at(-1)
      // On a new line DuckDB joins this text to the one before, and backslashes would have a meaning here too.
      if (before?.kind === 'text' && isEscaping(tokens.at(-2), before.start))
        return stop("A text follows a text of the form e'…'.")
      if (!skipQuoted("'", isEscaping(before, start))) return stop('A text is not closed.', start)
      push('text', sql.slice(start, at), start)
    } else if (letter === '"') {
      const before = sql.slice(Math.max(0, start - 2), start).toLowerCase()
      if (before === 'u&') return stop('U&"" names are not supported.')
      if (!skipQuoted('"', false)) return stop('A quoted name is not closed.', start)
      push('name', sql.slice(start + 1, at - 1).replaceAll('""', '"'), start)
    } else if (letter === '$') {
      dollarTag.lastIndex = at
      const tag = dollarTag.exec(sql)?.[0]
      if (tag === undefined) at++
      else {
        const end = sql.indexOf(tag, at + tag.length)
        if (end < 0) return stop('A text is not closed.', start)
        at = end + tag.length
      }
      push(tag === undefined ? 'symbol' : 'text', sql.slice(start, at), start)
    } else if (skip(number)) {
      if (sql[at] === "'" || sql[at] === '$') return stop('A text follows a number without a space.', start)
      push('symbol', sql.slice(start, at), start)
    } else if (letter > '\u007f') return stop(`The character ${letter} stands outside of a text or name.`)
    else {
      at++
      push('symbol', letter, start)
    }
  }
  return { tokens: placeTokens(tokens) }
}

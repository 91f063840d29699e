export interface SqlToken {
  /** A word is an identifier or keyword as written; a name is a quoted identifier, unquoted. */
  kind: 'word' | 'name' | 'text' | 'symbol'
  text: string
  start: number
  end: number
}

export interface Scan {
  tokens: SqlToken[]
  /** What cannot be read for certain, and is refused for that. */
  problem?: string
}

const space = /\s/
const wordStart = /[\p{L}_]/u
const wordPart = /[\p{L}\p{N}\p{M}_$]/u

/**
 * Cuts SQL into tokens the way DuckDB's grammar does, so that what is said about a statement holds
 * for what is run. Where two readings are thinkable it gives up: a wrong guess would be a way around
 * the guard.
 */
export const tokenize = (sql: string, maxTokens = Infinity): Scan => {
  const tokens: SqlToken[] = []
  let at = 0
  const stop = (problem: string): Scan => ({ tokens, problem })
  const push = (kind: SqlToken['kind'], text: string, start: number) => {
    tokens.push({ kind, text, start, end: at })
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
    const letter = String.fromCodePoint(sql.codePointAt(at)!)
    if (letter === '\0') return stop('The statement holds a null character.')
    if (space.test(letter)) at++
    else if (sql.startsWith('--', at)) {
      while (at < sql.length && sql[at] !== '\n' && sql[at] !== '\r') at++
    } else if (sql.startsWith('/*', at)) {
      const end = sql.indexOf('*/', at + 2)
      if (end < 0) return stop('A comment is not closed.')
      if (sql.slice(at + 2, end).includes('/*')) return stop('A comment stands inside another comment.')
      at = end + 2
    } else if (letter === "'") {
      const before = tokens.at(-1)
      const prefix = before?.kind === 'word' && before.end === start ? before.text.toLowerCase() : ''
      if (!skipQuoted("'", prefix === 'e')) return stop('A text is not closed.')
      push('text', sql.slice(start, at), start)
    } else if (letter === '"') {
      const before = sql.slice(Math.max(0, start - 2), start).toLowerCase()
      if (before === 'u&') return stop('U&"" names are not supported.')
      if (!skipQuoted('"', false)) return stop('A quoted name is not closed.')
      push('name', sql.slice(start + 1, at - 1).replaceAll('""', '"'), start)
    } else if (letter === '$') {
      const tag = /^\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/.exec(sql.slice(at, at + 100))?.[0]
      if (tag === undefined) at++
      else {
        const end = sql.indexOf(tag, at + tag.length)
        if (end < 0) return stop('A text is not closed.')
        at = end + tag.length
      }
      push(tag === undefined ? 'symbol' : 'text', sql.slice(start, at), start)
    } else if (/\d/.test(letter)) {
      while (at < sql.length && /[\w.]/.test(sql[at]!)) at++
      if (sql[at] === "'") return stop('A text follows a number without a space.')
      push('symbol', sql.slice(start, at), start)
    } else if (wordStart.test(letter)) {
      while (at < sql.length) {
        const part = String.fromCodePoint(sql.codePointAt(at)!)
        if (!wordPart.test(part)) break
        at += part.length
      }
      push('word', sql.slice(start, at), start)
    } else if (letter > '\u007f') return stop(`The character ${letter} stands outside of a text or name.`)
    else {
      at++
      push('symbol', letter, start)
    }
  }
  return { tokens }
}

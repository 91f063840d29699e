import type { SqlToken } from './tokenize.js'

export interface StatementHead {
  /** What is done: of `EXPLAIN (FORMAT JSON) ANALYZE COPY …` it is `copy`. */
  verb: string
  /** What a CREATE, DROP or ALTER is about: `table`, `type`, `secret`; else empty. */
  object: string
  isTemporary: boolean
  /** `OR REPLACE` or `IF NOT EXISTS`: it does not matter whether there is one of that name. */
  takesExisting: boolean
  /** The name that follows, part by part. */
  name: readonly string[]
  /** Where the name's last part stands among the tokens; -1 without one. */
  nameAt: number
}

const beforeObject = new Set('or replace temp temporary local global persistent unique'.split(' '))
const beforeName = new Set(['if', 'not', 'exists'])

/** Where the bracket that opens at a token is closed; behind the last token when it is not. */
const closingOf = (tokens: readonly SqlToken[], opening: number): number => {
  let open = 0
  let at = opening
  for (; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!
    if (kind !== 'symbol') continue
    if (text === '(') open++
    else if (text === ')' && --open === 0) break
  }
  return at
}

/** Reads the words with which a statement begins, as far as the name of what it makes or changes. */
export const readHead = (tokens: readonly SqlToken[]): StatementHead => {
  let at = 0
  const wordAt = () => (tokens[at]?.kind === 'word' ? tokens[at]!.text.toLowerCase() : '')
  const isSymbol = (text: string) => tokens[at]?.kind === 'symbol' && tokens[at]?.text === text
  if (wordAt() === 'explain') {
    for (at = 1; at < tokens.length; at++) {
      // A quoted `")"` may be the value of an option, and closes nothing.
      if (isSymbol('(')) at = closingOf(tokens, at)
      else if (wordAt() !== 'analyze' && wordAt() !== 'verbose') break
    }
  }
  const verb = wordAt()
  const head = {
    verb,
    object: '',
    isTemporary: false,
    takesExisting: false,
    name: [] as string[],
    nameAt: -1,
  }
  if (!/^(create|drop|alter)$/.test(verb)) return head
  for (at++; beforeObject.has(wordAt()); at++) {
    head.isTemporary ||= wordAt().startsWith('temp')
    head.takesExisting ||= wordAt() === 'replace'
  }
  head.object = wordAt()
  for (at++; beforeName.has(wordAt()); at++) head.takesExisting ||= wordAt() === 'not'
  for (; tokens[at]?.kind === 'word' || tokens[at]?.kind === 'name'; at++) {
    head.name.push(tokens[at]!.text)
    head.nameAt = at++
    if (!isSymbol('.')) break
  }
  return head
}

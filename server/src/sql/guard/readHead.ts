import type { SqlToken } from './tokenize.js'

export interface StatementHead {
  /** What is done. For `EXPLAIN (FORMAT JSON) ANALYZE COPY …` it is `copy`. */
  verb: string
  /** What a CREATE, DROP or ALTER is about: `table`, `type`, `secret`. Empty for other statements. */
  object: string
  isTemporary: boolean
  /** Whether it says `OR REPLACE` or `IF NOT EXISTS`: something of that name may exist already. */
  takesExisting: boolean
  /** The name that follows, part by part. */
  name: readonly string[]
  /** The index of the token that is the name's last part; -1 without a name. */
  nameAt: number
}

const beforeObject = new Set('or replace temp temporary local global persistent unique'.split(' '))
const beforeName = new Set(['if', 'not', 'exists'])

/** Finds where the bracket that opens at a token is closed. When it is not, the result is behind the last token. */
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

/** Reads the first words of a statement, up to the name of what it makes or changes. */
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

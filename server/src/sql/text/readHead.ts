import { isName, isSymbol, type SqlToken, wordOf } from './tokenize.js'
import { closingAt } from './operands.js'

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

/** Reads the first words of a statement, up to the name of what it makes or changes. */
export const readHead = (tokens: readonly SqlToken[]): StatementHead => {
  let at = 0
  const wordAt = () => wordOf(tokens[at])
  if (wordAt() === 'explain') {
    for (at = 1; at < tokens.length; at++) {
      // A quoted `")"` may be the value of an option, and closes nothing.
      if (isSymbol(tokens[at], '(')) at = closingAt(tokens, at)
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
  for (; isName(tokens[at]); at++) {
    head.name.push(tokens[at]!.text)
    head.nameAt = at++
    if (!isSymbol(tokens[at], '.')) break
  }
  return head
}

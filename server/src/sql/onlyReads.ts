import { readHead } from './guard/readHead.js'
import type { Plan } from './planStatement.js'

/** Verbs of changes, which EXPLAIN ANALYZE would carry out. */
const writing = /^(insert|update|delete|merge|truncate|create|drop|alter|copy)$/

/** Whether a statement changes no table: reading ones, what moves the session, and EXPLAIN of those. */
export const onlyReads = ({ kind, tokens }: Plan): boolean => {
  if (kind !== 'change') return true
  if (!/^explain$/i.test(tokens[0]!.text)) return false
  const { verb } = readHead(tokens)
  const writes = (word: string) => writing.test(word.toLowerCase())
  const isHidden = verb === 'with' && tokens.some((token) => token.kind === 'word' && writes(token.text))
  return !writes(verb) && !isHidden
}

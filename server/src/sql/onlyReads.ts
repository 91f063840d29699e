import { readHead } from './guard/readHead.js'
import type { Plan } from './planStatement.js'

/** EXPLAIN ANALYZE carries these out. */
const writing = /^(insert|update|delete|merge|truncate|create|drop|alter|copy)$/

/** Whether a statement changes no table. Reads, USE and SET change none, nor does EXPLAIN of a read. */
export const onlyReads = ({ kind, tokens }: Plan): boolean => {
  if (kind !== 'change') return true
  if (!/^explain$/i.test(tokens[0]!.text)) return false
  const { verb } = readHead(tokens)
  const writes = (word: string) => writing.test(word.toLowerCase())
  const isHidden = verb === 'with' && tokens.some((token) => token.kind === 'word' && writes(token.text))
  return !writes(verb) && !isHidden
}

import { createHash } from 'node:crypto'
import type { SqlToken } from './scanSql.js'

/** The same for statements that differ only in their values, case and spacing; fits a JavaScript number. */
export const fingerprint = (tokens: readonly SqlToken[]): number => {
  const shape = tokens.map((token) => {
    if (token.kind === 'text' || /^\d/.test(token.text)) return '?'
    return token.kind === 'word' ? token.text.toLowerCase() : token.text
  })
  const digest = createHash('sha256').update(shape.join('\u0000')).digest()
  return Number(digest.readBigUInt64BE() >> 11n)
}

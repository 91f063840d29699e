import type { Edit } from '../../sql/text/edits.js'
import type { Settings } from '../Settings.js'
import type { Statement } from '../statements/statements.js'
import { Rewrite } from './Rewrite.js'
import { rewriteCalls } from './rewriteCalls.js'
import { rewriteCasts } from './rewriteCasts.js'
import { rewriteOperators } from './rewriteOperators.js'
import { rewriteTables } from './rewriteTables.js'
import { rewriteValues } from './rewriteValues.js'
import { closingAt } from '../../sql/text/operands.js'
import { quoteText } from '../../duckdb/quote.js'
import { catalogMacros, catalogViews } from '../catalog/createCatalog.js'
import { pg } from '../catalog/names.js'

/** Sends what is asked of Postgres's catalog to the service's own, which stands in another schema. */
export const rewriteCatalog = (rewrite: Rewrite): void => {
  const { tokens } = rewrite
  for (let at = 0; at < tokens.length; at++) {
    const word = rewrite.word(at)
    if (word === '' || rewrite.isTaken(at)) continue
    if (/^(indkey|indoption|indclass)$/.test(word)) countFromZero(rewrite, at)
    if (word === 'collate' && rewrite.word(at + 1) === 'pg_catalog') {
      rewrite.replace(at, at + 3, '')
      at += 3
    } else if (rewrite.is(at - 1, '.')) continue
    else if (word === 'pg_catalog' && rewrite.is(at + 1, '.')) {
      const named = rewrite.word(at + 2)
      if (rewrite.isTaken(at + 2)) rewrite.replace(at, at + 1, '')
      else if (catalogViews.has(named) || catalogMacros.has(named)) rewrite.replace(at, at, pg)
      else rewrite.replace(at, at + 1, '')
      at += 2
    } else if (word === 'information_schema' && rewrite.is(at + 1, '.')) {
      const named = rewrite.word(at + 2)
      if (catalogViews.has(`information_schema_${named}`))
        rewrite.replace(at, at + 2, `${pg}.information_schema_${named}`)
      else if (catalogMacros.has(named)) rewrite.replace(at, at, pg)
      at += 2
    } else if (rewrite.is(at + 1, '(') ? catalogMacros.has(word) : isRelation(rewrite, at)) {
      rewrite.replace(at, at, `${pg}.${word}`)
    } else if (/^(current_user|session_user|current_role|user)$/.test(word) && isValue(rewrite, at))
      rewrite.replace(at, at, quoteText(rewrite.user))
  }
}

const isRelation = (rewrite: Rewrite, at: number): boolean =>
  catalogViews.has(rewrite.word(at)) && /^(from|join|,|\()$/i.test(rewrite.tokens[at - 1]?.text ?? '')

/** Whether a keyword stands where a value does, and is no name of a column or alias. */
const isValue = (rewrite: Rewrite, at: number): boolean => {
  const before = rewrite.tokens[at - 1]
  if (rewrite.tokens[at]!.kind !== 'word' || rewrite.is(at + 1, '.')) return false
  return /^(select|,|\(|=|when|then|else|and|or|where|in|\||distinct|>|<)$/i.test(before?.text ?? '')
}

/** The numbers in an index are a vector, which counts from 0; lists count from 1. */
const countFromZero = (rewrite: Rewrite, at: number): void => {
  let first = at
  while (rewrite.is(first - 1, '.')) first -= 2
  if (rewrite.is(at + 1, '[')) {
    rewrite.after(at + 1, '(')
    rewrite.before(closingAt(rewrite.tokens, at + 1), ') + 1')
  } else if (rewrite.word(first - 2) === 'generate_subscripts') {
    rewrite.before(first - 2, '(')
    rewrite.after(closingAt(rewrite.tokens, first - 1), ' - 1)')
  }
}

/**
 * The edits that make DuckDB's SQL of a statement by the Postgres protocol. They are few: people write DuckDB's SQL here
 * too, and what is no edit of words beside each other is left to DuckDB to refuse.
 */
export const rewriteStatement = (
  { tokens }: Statement,
  { user, settings }: { user: string; settings: Settings },
): Edit[] => {
  const rewrite = new Rewrite(tokens, { user, settings })
  rewriteTables(rewrite)
  rewriteCasts(rewrite)
  rewriteOperators(rewrite)
  rewriteValues(rewrite)
  rewriteCalls(rewrite)
  rewriteCatalog(rewrite)
  return rewrite.list()
}

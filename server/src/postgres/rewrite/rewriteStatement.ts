import type { Edit } from '../../sql/guard/applyEdits.js'
import type { Settings } from '../Settings.js'
import type { Statement } from '../statements/statements.js'
import { Rewrite } from './Rewrite.js'
import { rewriteCalls } from './rewriteCalls.js'
import { rewriteCasts } from './rewriteCasts.js'
import { rewriteCatalog } from './rewriteCatalog.js'
import { rewriteOperators } from './rewriteOperators.js'
import { rewriteTables } from './rewriteTables.js'

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
  rewriteCalls(rewrite)
  rewriteCatalog(rewrite)
  return rewrite.edits()
}

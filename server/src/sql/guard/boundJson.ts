import { analyticsCatalog } from '../../store/analyticsSchema.js'
import type { Edit } from './applyEdits.js'
import { isSymbol, type SqlToken } from './tokenize.js'

/** These functions of DuckDB's call themselves for each level of JSON, and deep JSON overflows its stack. */
const bounded = new Set(['json_structure', 'json_group_structure', 'json_contains'])

/** Replaces those functions by macros that check first how deep the JSON is, see `store/boundedJson.ts`. */
export const boundJson = (tokens: readonly SqlToken[]): Edit[] | { problem: string } => {
  const edits: Edit[] = []
  for (const [at, { kind, text, start }] of tokens.entries()) {
    const name = text.toLowerCase()
    if (kind === 'text' || !bounded.has(name) || !isSymbol(tokens[at + 1], '(')) continue
    if (!isSymbol(tokens[at - 1], '.')) edits.push({ start, end: start, text: `${analyticsCatalog}.main.` })
    else if (tokens[at - 4]?.text.toLowerCase() !== analyticsCatalog || !isSymbol(tokens[at - 3], '.')) {
      return { problem: `Write ${name}(…), with nothing and no dot before it.` }
    }
  }
  return edits
}

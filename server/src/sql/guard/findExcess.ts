import { isSymbol, type SqlToken, wordOf } from '../text/tokenize.js'

/** The most tokens: DuckDB's parser takes about five seconds for them. */
export const maxTokens = 250_000
/** Calls within calls: 100 take 14 ms to plan, 500 take three seconds. */
const maxDepth = 100
/** A condition of n terms takes n² to plan: 5,000 take about a second. */
const maxTermsSquared = 5000 ** 2
/** An expression of n operators takes n³: 300 take about a second, 500 take six. */
const maxOperatorsCubed = 300 ** 3

/** How often DuckDB's own macros write what they are given: it plans each anew. */
const writings = new Map<string, number>([
  ...(
    'nullif split_part array_to_string array_to_string_comma_default array_pop_back weighted_avg wavg fmod ' +
    'json_group_array json_group_object map_contains_entry pg_get_constraintdef'
  )
    .split(' ')
    .map((name) => [name, 2] as const),
  ...['round_even', 'roundbankers', 'format_type'].map((name) => [name, 3] as const),
  ['format_pg_type', 15],
  ['map_to_pg_oid', 19],
])
/** 12 of them in one another take 140 ms, and each more twice as long. */
const maxWritings = 2 ** 13

const separators = new Set(
  'select from where group having order limit offset qualify window union intersect except join on using when then else end as with values set returning by'.split(
    ' ',
  ),
)
const operatorWords = new Set('like ilike glob similar between in is collate at'.split(' '))
const operatorSymbols = new Set('+-*/%|&^~<>!=@#:'.split(''))

/** Counts within one pair of brackets, from one comma to the next. */
class Level {
  terms = 0
  operators = 0

  /** How often what stands within is planned. */
  constructor(readonly planned = 1) {}
}

/**
 * Says what a statement has too much of. DuckDB's parser and planner have no limit, and neither a time
 * limit nor an interrupt can stop them, so a statement that they cannot plan in seconds is refused here.
 */
export const findExcess = (tokens: readonly SqlToken[]): string | undefined => {
  /** By the index of the bracket that opens it. */
  const levels = new Map([[-1, new Level()]])
  let squared = 0
  let cubed = 0
  let wasOperator = false

  const endOperators = (level: Level) => {
    cubed += level.operators ** 3
    level.operators = 0
  }
  const endTerms = (level: Level) => {
    endOperators(level)
    squared += level.terms ** 2
    level.terms = 0
  }

  for (const [at, token] of tokens.entries()) {
    const { kind, text } = token
    const level = levels.get(token.around)!
    const word = wordOf(token)
    const before = tokens[at - 1]
    const isAfterBracket = isSymbol(before, ')') || isSymbol(before, ']')
    const isOperator = kind === 'symbol' && operatorSymbols.has(text)
    // `||` and `->>` are one operator each. A chain of calls or subscripts nests as deeply as one of operators.
    const goesOn = isOperator && wasOperator && before?.kind === 'symbol' && operatorSymbols.has(before.text)
    if ((isOperator && !goesOn) || operatorWords.has(word)) level.operators++
    else if (isAfterBracket && (isSymbol(token, '.') || isSymbol(token, '['))) level.operators++
    wasOperator = isOperator

    if (word === 'and' || word === 'or') {
      level.terms++
      endOperators(level)
    } else if (kind === 'symbol' && '([{'.includes(text)) {
      if (token.depth + 2 > maxDepth) return `The statement has more than ${maxDepth} brackets open at once.`
      const planned = level.planned * (isSymbol(token, '(') ? (writings.get(wordOf(before)) ?? 1) : 1)
      if (planned > maxWritings)
        return 'The statement has too many calls in one another of functions such as nullif: cut it into parts.'
      levels.set(at, new Level(planned))
    } else if (separators.has(word) || isSymbol(token, ',')) endTerms(level)
  }
  for (const level of levels.values()) endTerms(level)
  if (squared > maxTermsSquared) {
    return 'The statement has a condition of too many terms: use IN with a list, or a join with a table.'
  }
  if (cubed > maxOperatorsCubed) {
    return 'The statement has an expression of too many operators: cut it into parts.'
  }
  return undefined
}

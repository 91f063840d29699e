import { maxJsonDepth } from '../../duckdb/boundedJson.js'
import { allowedFunctions } from './allowed.js'
import { argumentsOf, type Call, onlyToken } from '../text/operands.js'
import { isSymbol, type SqlToken, tokenize, wordOf } from '../text/tokenize.js'

/** What a guest's statement may read: figures of events and sessions, and the columns and values of a page's tables. */
const relations = new Set(
  (
    'events page_views sessions totals daily breakdown session_breakdown funnel retention paths web_vitals errors ' +
    'goal_events ' +
    'prop prop_number vital_rating'
  ).split(' '),
)
/** Answers write a column in quotes when a reader has chosen it, or when its name is a word of SQL. */
const columns = new Set(
  (
    'path entry exit event channel referrer_host utm_source utm_medium utm_campaign utm_term utm_content ' +
    'browser os device screen_class country language release host viewport ' +
    'timestamp time day rows first'
  ).split(' '),
)
const forbidden = new Set(
  (
    'persons traits identities identity_traits id_map raw saved rejected funnel_people retention_people ' +
    'distinct_id anonymous_id device_id user_id click_id stack read_person'
  ).split(' '),
)

/**
 * The first name by which a statement would tell of one person, browser or visit; undefined for one of figures alone.
 * The service makes a guest's statement itself: this is the second wall, for a mistake in what makes it.
 */
export const findPersonal = (sql: string): string | undefined => {
  const { tokens } = tokenize(sql)
  const found = tokens.find(({ kind, text }, at) => {
    if (kind === 'name') return !columns.has(text)
    if (kind !== 'word') return false
    const word = text.toLowerCase()
    const isRelation = isSymbol(tokens[at - 1], '.') && tokens[at - 2]?.text === 'analytics'
    return forbidden.has(word) || (isRelation && !relations.has(word))
  })
  return found?.text
}

/** A relation follows these words, and after each comma another one. */
const listing = new Set(['from', 'join', 'using'])
const single = new Set(
  'describe desc summarize show table pivot pivot_wider pivot_longer unpivot update into only'.split(' '),
)
const endsList = new Set(
  'where group order having limit offset window qualify select union intersect except set values returning'.split(
    ' ',
  ),
)
/** These words may also be the name of a relation, and then the list goes on. */
const aliases = new Set(['set', 'values'])
/** In these calls FROM begins no list of relations: `extract(year FROM x)`. */
const withFrom = new Set(['extract', 'trim', 'substring', 'substr', 'overlay', 'position'])
/** Functions whose first argument names a table. */
const ofTable = new Set(['histogram', 'histogram_values'])

const ending = /\.(?:parquet|csv|tsv|txt|json|jsonl|ndjson|arrow|avro|xlsx|db|duckdb)\b/i

/**
 * Finds the first relation of a statement that names a file. The locked engine can still read its own
 * temporary folder, and other users' exports are written there.
 */
export const findFile = (tokens: readonly SqlToken[]): string | undefined => {
  /** By the index of the bracket that opens it. */
  const levels = new Map([[-1, { lists: false, call: '' }]])
  let wanted = false
  for (let at = 0; at < tokens.length; at++) {
    const { kind, text, start, around } = tokens[at]!
    const level = levels.get(around)!
    const word = wordOf(tokens[at])
    const before = tokens[at - 1]
    if (kind === 'symbol') {
      if (text === '(' || text === '[' || text === '{') {
        const call = wordOf(before)
        levels.set(at, { lists: wanted && text === '(', call })
        wanted = (wanted && text === '(') || ofTable.has(call)
      } else wanted = (text === ',' || text === ':') && level.lists
      continue
    }
    const isComparison =
      word === 'from' &&
      /^distinct$/i.test(before?.text ?? '') &&
      /^(is|not)$/i.test(tokens[at - 2]?.text ?? '')
    if (listing.has(word) && !isComparison && !(word === 'from' && withFrom.has(level.call))) {
      wanted = true
      level.lists = true
    } else if (single.has(word)) wanted = true
    else if (endsList.has(word) && (wanted || !aliases.has(word))) {
      wanted = false
      level.lists = false
      if (word === 'select') level.call = ''
    } else if (wanted) {
      wanted = false
      let path = text
      for (; tokens[at + 1]?.text === '.' && (tokens[at + 2]?.kind ?? 'symbol') !== 'symbol'; at += 2)
        path += `.${tokens[at + 2]!.text}`
      // A text with a prefix may stand for anything, so it counts as a file.
      const next = tokens[at + 1]
      const isPrefix =
        kind === 'word' &&
        next !== undefined &&
        next.start === start + text.length &&
        (next.kind === 'text' || next.text === '&')
      if (isPrefix) return `${text}${next.text}`
      const isFile = kind === 'text' ? /[./\\]/.test(text) : /[/\\]/.test(path) && ending.test(path)
      if (isFile) return path
    }
  }
  return undefined
}

/** The values of these settings say nothing about files, secrets or other users. */
const harmlessSettings = new Set(
  'timezone calendar search_path schema threads worker_threads memory_limit max_memory'.split(' '),
)

interface Reader {
  /** The index of the argument whose text says what is done. */
  argument: number
  /** Says what is wrong with the text; undefined when nothing is. */
  findProblem(text: string, name: string): string | undefined
  /** The message when the text is not written out. */
  advice(name: string): string
}

const setting: Reader = {
  argument: 0,
  findProblem: (text) => (harmlessSettings.has(text.toLowerCase()) ? undefined : setting.advice('')),
  advice: () => `current_setting takes one of these names here: ${[...harmlessSettings].join(', ')}.`,
}
const aggregate: Reader = {
  argument: 1,
  findProblem: (text, name) =>
    allowedFunctions.has(text.toLowerCase()) ? undefined : `${name} does not take ${text} here.`,
  advice: (name) => `${name} takes the name of an aggregate function as a text that is written out.`,
}

const depthOf = (json: string): number => {
  let depth = 0
  let deepest = 0
  for (const letter of json) {
    if (letter === '[' || letter === '{') deepest = Math.max(deepest, ++depth)
    else if (letter === ']' || letter === '}') depth--
  }
  return deepest
}
const structure: Reader = {
  argument: 1,
  findProblem(text, name) {
    if (depthOf(text) > maxJsonDepth) return `${name} takes a structure of ${maxJsonDepth} levels at most.`
    return /variant/i.test(text) ? `${name} cannot make a VARIANT here.` : undefined
  },
  advice: (name) => `${name} takes its structure as a text that is written out.`,
}

const readers = new Map<string, Reader>([
  ['current_setting', setting],
  ...'list_aggregate list_aggr array_aggregate array_aggr aggregate'
    .split(' ')
    .map((name): [string, Reader] => [name, aggregate]),
  ...'from_json from_json_strict json_transform json_transform_strict'
    .split(' ')
    .map((name): [string, Reader] => [name, structure]),
])

/** Reads one argument of a call; undefined when it is not a single text. */
const textArgument = (tokens: readonly SqlToken[], call: Call, index: number): string | undefined => {
  const value = onlyToken(tokens, argumentsOf(tokens, call)[index])
  if (value?.kind !== 'text') return undefined
  return value.text.startsWith('$')
    ? value.text.replace(/^(\$[^$]*\$)([\s\S]*)\1$/, '$2')
    : value.text.slice(1, -1).replaceAll("''", "'")
}

/**
 * Some functions read from a text what to do: which setting to read, which function to call, which type
 * to make. The guard must be able to read that text. This says what is wrong with such a call.
 */
export const findUnread = (tokens: readonly SqlToken[], call: Call, name: string): string | undefined => {
  const reader = readers.get(name)
  if (reader === undefined) return undefined
  // In `x.list_aggregate('sum')` the first argument stands before the dot.
  const isChained = isSymbol(tokens[call.at - 1], '.')
  const text = textArgument(tokens, call, Math.max(0, reader.argument - (isChained ? 1 : 0)))
  return text === undefined ? reader.advice(name) : reader.findProblem(text, name)
}

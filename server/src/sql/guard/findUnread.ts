import { maxJsonDepth } from '../../store/boundedJson.js'
import { allowedFunctions } from './allowed.js'
import type { SqlToken } from './tokenize.js'

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

/** Reads one argument of the call whose bracket opens at a token; undefined when it is not a single text. */
const textArgument = (tokens: readonly SqlToken[], opening: number, index: number): string | undefined => {
  let open = 0
  let left = index
  for (let at = opening; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!
    if (kind === 'symbol' && '([{'.includes(text)) open++
    else if (kind === 'symbol' && ')]}'.includes(text)) open--
    if (open === 0) return undefined
    const begins =
      at === opening ? left === 0 : open === 1 && kind === 'symbol' && text === ',' && --left === 0
    if (!begins) continue
    const [value, next] = [tokens[at + 1], tokens[at + 2]]
    if (value?.kind !== 'text' || next?.kind !== 'symbol' || !/^[,)]$/.test(next.text)) return undefined
    return value.text.startsWith('$')
      ? value.text.replace(/^(\$[^$]*\$)([\s\S]*)\1$/, '$2')
      : value.text.slice(1, -1).replaceAll("''", "'")
  }
  return undefined
}

/**
 * Some functions read from a text what to do: which setting to read, which function to call, which type
 * to make. The guard must be able to read that text. This says what is wrong with such a call.
 */
export const findUnread = (tokens: readonly SqlToken[], at: number, name: string): string | undefined => {
  const reader = readers.get(name)
  if (reader === undefined) return undefined
  // In `x.list_aggregate('sum')` the first argument stands before the dot.
  const isChained = tokens[at - 1]?.kind === 'symbol' && tokens[at - 1]?.text === '.'
  const text = textArgument(tokens, at + 1, Math.max(0, reader.argument - (isChained ? 1 : 0)))
  return text === undefined ? reader.advice(name) : reader.findProblem(text, name)
}

import type { Suggestion } from '../../data/assist'

/** Suggestions for a place of the statement. */
export interface Completion {
  suggestions: readonly Suggestion[]
  /** Where the word begins that a suggestion replaces. */
  start: number
  /** Where it ends: the caret. */
  end: number
  /** Which one is chosen; -1 is none. */
  active: number
}

/** Whether a person who types seems to be inside of a name, so that suggestions help. */
export const isInName = (before: string): boolean => /[\p{L}_][\p{L}\p{N}_]*$|\.$/u.test(before)

export const noCompletion: Completion = { suggestions: [], start: 0, end: 0, active: -1 }

/**
 * Those that would change something. Who only types is shown what goes on as typed: the service also suggests names that
 * are merely similar. All suggestions of an answer begin at one place.
 */
export function toCompletion(
  before: string,
  suggestions: readonly Suggestion[],
  isAsked: boolean,
): Completion {
  const start = suggestions[0]?.suggestion_start ?? before.length
  const word = before.slice(start)
  const goesOn = (text: string) => text.replace(/^"/, '').toLowerCase().startsWith(word.toLowerCase())
  const useful = suggestions.filter(
    ({ suggestion, suggestion_start: at }) =>
      at === start && suggestion.trim() !== word && (isAsked || goesOn(suggestion)),
  )
  return { suggestions: useful, start, end: before.length, active: isAsked && useful.length > 0 ? 0 : -1 }
}

/** The next or the one before, round and round. */
export function moveActive(completion: Completion, by: 1 | -1): Completion {
  const { active, suggestions } = completion
  const from = active === -1 && by === -1 ? 0 : active
  return { ...completion, active: (from + by + suggestions.length) % suggestions.length }
}

/** Line and column of a place, both from 0, as a monospaced font shows them. */
export function gridPlace(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lastLine = before.slice(before.lastIndexOf('\n') + 1)
  let column = 0
  for (const character of lastLine) column += character === '\t' ? tabSize - (column % tabSize) : 1
  return { line: before.split('\n').length - 1, column }
}

/** As the style sheet has it. */
const tabSize = 2

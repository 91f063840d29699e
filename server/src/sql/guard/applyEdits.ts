/** Replaces the characters of a statement from `start` to `end` by `text`. */
export interface Edit {
  start: number
  end: number
  text: string
}

export const applyEdits = (text: string, edits: readonly Edit[]): string => {
  let done = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    done += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return done + text.slice(at)
}

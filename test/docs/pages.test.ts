import { describe, expect, it } from 'vitest'
import { pages, read } from './pages'

/** A longer paragraph is not read to its end: it is cut, or becomes a list or a table. */
const longest = 600

const listItem = /^\s*(?:[-*+]|\d+\.)\s/

interface Passage {
  line: number
  text: string
}

/** Paragraphs, list items, headings and cells of tables, each in one piece however its lines are broken. */
const passagesOf = (page: string): Passage[] => {
  const passages: Passage[] = []
  let open: Passage | undefined
  let fence: string | undefined
  for (const [at, line] of read(page).split('\n').entries()) {
    const mark = /^\s*(?<mark>```+|~~~+)/.exec(line)?.groups!['mark']
    const text = line.trim()
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
    } else if (mark !== undefined) {
      fence = mark
      open = undefined
    } else if (text.startsWith('|')) {
      for (const cell of text.split(/(?<!\\)\|/)) passages.push({ line: at + 1, text: cell.trim() })
      open = undefined
    } else if (text === '') open = undefined
    else if (open && !listItem.test(line) && !text.startsWith('#')) open.text += ` ${text}`
    else {
      const passage = { line: at + 1, text }
      passages.push(passage)
      open = text.startsWith('#') ? undefined : passage
    }
  }
  return passages
}

describe('a page', () => {
  it.each(pages.filter((page) => page !== 'CHANGELOG.md'))(
    `has no paragraph, list item or cell of more than ${longest} characters: %s`,
    (page) => {
      const long = passagesOf(page).filter(({ text }) => text.length > longest)
      expect(long.map(({ line, text }) => `line ${line}: ${text.length}, ${text.slice(0, 60)}…`)).toEqual([])
    },
  )
})

import { describe, expect, it } from 'vitest'
import { gridPlace, isInName, moveActive, toCompletion } from '../src/pages/sql/completion'

const suggestion = (text: string, start: number) => ({
  suggestion: text,
  suggestion_start: start,
  suggestion_type: 'table',
})

describe('completion', () => {
  it('helps within a name and after a dot, not after a space or a number', () => {
    expect(['SELECT ev', 'FROM analytics.', 'é'].map(isInName)).toEqual([true, true, true])
    expect(['SELECT ', 'LIMIT 10', ''].map(isInName)).toEqual([false, false, false])
  })

  it('replaces the word that is begun, and leaves out what would change nothing', () => {
    const all = [
      suggestion('events', 5),
      suggestion('"Event"', 5),
      suggestion('ev ', 5),
      suggestion('level', 5),
    ]
    const found = toCompletion('FROM ev', all, false)
    expect(found).toMatchObject({ start: 5, end: 7, active: -1 })
    expect(found.suggestions.map((each) => each.suggestion)).toEqual(['events', '"Event"'])
    const asked = toCompletion('FROM ev', all, true)
    expect(asked.suggestions.map((each) => each.suggestion)).toContain('level')
  })

  it('chooses the first where suggestions were asked for by a key, and goes round', () => {
    const asked = toCompletion('FROM ', [suggestion('a', 5), suggestion('b', 5)], true)
    expect(asked.active).toBe(0)
    expect(moveActive(asked, -1).active).toBe(1)
    expect(moveActive(moveActive(asked, 1), 1).active).toBe(0)
    expect(moveActive({ ...asked, active: -1 }, 1).active).toBe(0)
    expect(moveActive({ ...asked, active: -1 }, -1).active).toBe(1)
  })

  it('knows line and column of a place, with tabs', () => {
    expect(gridPlace('SELECT 1', 3)).toEqual({ line: 0, column: 3 })
    expect(gridPlace('SELECT\n\ta', 9)).toEqual({ line: 1, column: 3 })
  })
})

import { describe, expect, it } from 'vitest'
import { findErrorPosition, withoutQuote } from '../src/pages/sql/findErrorPosition'

const message = (line: number, quoted: string, caret: number) => {
  const label = `LINE ${line}: `
  return `Binder Error: no such column\n\n${label}${quoted}\n${' '.repeat(label.length + caret)}^`
}

describe('findErrorPosition', () => {
  it('finds line and column of the caret below the quoted line', () => {
    const statement = 'SELECT event,\n  nonsense\nFROM events'
    expect(findErrorPosition(statement, message(2, '  nonsense', 2))).toEqual({
      line: 2,
      column: 3,
      offset: 16,
    })
  })

  it('counts from the start of a line that was cut on both sides', () => {
    const line = `SELECT ${'a'.repeat(80)}, wrong, ${'b'.repeat(80)}`
    const start = line.indexOf('wrong')
    const quoted = `...${line.slice(start - 10, start + 20)}...`
    expect(findErrorPosition(line, message(1, quoted, 13))).toEqual({
      line: 1,
      column: start + 1,
      offset: start,
    })
  })

  it('knows no place for a message without one, or one of another statement', () => {
    expect(findErrorPosition('SELECT 1', 'Out of Memory Error')).toBeUndefined()
    expect(findErrorPosition('SELECT 1', message(1, 'SELECT other', 7))).toBeUndefined()
    expect(findErrorPosition('SELECT 1', message(4, 'SELECT 1', 7))).toBeUndefined()
  })

  it('leaves the quoted line out of a message, and keeps the advice below it', () => {
    const advised = `${message(1, 'SELECT x', 7)}\n\nWrite it in quotes.`
    expect(withoutQuote(advised)).toBe('Binder Error: no such column\n\nWrite it in quotes.')
    expect(withoutQuote('Plain')).toBe('Plain')
  })
})

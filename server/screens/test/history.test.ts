import { beforeEach, describe, expect, it } from 'vitest'
import { clearHistory, history, readHistory, remember } from '../src/pages/sql/history'

const statements = () => history.get().map(({ statement }) => statement)

beforeEach(() => {
  localStorage.clear()
  readHistory('ada')
})

describe('the history of statements', () => {
  it('has the newest first, each once, for each user apart', () => {
    for (const statement of ['SELECT 1', 'SELECT 2', 'SELECT 1']) remember('ada', statement)
    expect(statements()).toEqual(['SELECT 1', 'SELECT 2'])
    readHistory('grace')
    expect(statements()).toEqual([])
    readHistory('ada')
    expect(statements()).toEqual(['SELECT 1', 'SELECT 2'])
  })

  it('keeps fifty, and nothing that is very long', () => {
    for (let at = 0; at < 60; at++) remember('ada', `SELECT ${at}`)
    remember('ada', `SELECT '${'x'.repeat(30_000)}'`)
    expect(statements()).toHaveLength(50)
    expect(statements()[0]).toBe('SELECT 59')
  })

  it('is gone from the browser when it is cleared', () => {
    remember('ada', 'SELECT 1')
    clearHistory('ada')
    expect(statements()).toEqual([])
    expect(localStorage).toHaveLength(0)
  })

  it('begins anew where something else was stored', () => {
    remember('ada', 'SELECT 1')
    for (const text of ['{', '{}', '[1, {"statement": 2}]']) {
      localStorage.setItem(localStorage.key(0) ?? '', text)
      readHistory('ada')
      expect(statements()).toEqual([])
    }
  })
})

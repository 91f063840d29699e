import { base } from '../../data/base'
import { createStore } from '../../data/createStore'

export interface PastStatement {
  statement: string
  dialect?: string | undefined
  /** Unix milliseconds. */
  at: number
}

const mostStatements = 50
const mostCharacters = 20_000

/** Each user of a browser, and each service behind one address, has a history of its own. */
const keyOf = (user: string) => `waymark.sql.${base}.${user}`

export const history = createStore<readonly PastStatement[]>([])

const isPast = (value: unknown): value is PastStatement => {
  const { statement, dialect = '', at } = (value ?? {}) as Partial<PastStatement>
  return typeof statement === 'string' && typeof dialect === 'string' && typeof at === 'number'
}

/** Reads what this browser keeps of a user. */
export function readHistory(user: string): void {
  let kept: unknown = []
  try {
    kept = JSON.parse(localStorage.getItem(keyOf(user)) ?? '[]')
  } catch {
    // Storage is off, or somebody else wrote there: the history begins anew.
  }
  history.set(Array.isArray(kept) ? kept.filter(isPast) : [])
}

function keep(user: string, statements: readonly PastStatement[]): void {
  history.set(statements)
  try {
    if (statements.length === 0) localStorage.removeItem(keyOf(user))
    else localStorage.setItem(keyOf(user), JSON.stringify(statements))
  } catch {
    // Storage is off or full: the history lasts as long as the page.
  }
}

/** Puts a statement first. One that was there already moves up, a very long one is not kept. */
export function remember(user: string, statement: string, dialect?: string): void {
  if (statement.length > mostCharacters) return
  const others = history.get().filter((past) => past.statement !== statement || past.dialect !== dialect)
  keep(user, [{ statement, dialect, at: Date.now() }, ...others].slice(0, mostStatements))
}

export const clearHistory = (user: string): void => keep(user, [])

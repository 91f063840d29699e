import { base } from './base'
import { readProblem, toProblem } from './Problem'

export interface Suggestion {
  suggestion: string
  /** Where what it replaces begins, in UTF-16 code units. */
  suggestion_start: number
  /** `column`, `table`, `keyword`, … */
  suggestion_type: string
}

async function look<T>(path: string, body: unknown, signal: AbortSignal): Promise<T> {
  try {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    if (!response.ok) throw await readProblem(response)
    return (await response.json()) as T
  } catch (error) {
    throw toProblem(error, signal)
  }
}

interface Look {
  sessionId: string
  /** The name of the dialect that the statement is written in; DuckDB's SQL without. */
  dialect: string | undefined
  signal: AbortSignal
}

export interface Validation {
  /** The statement in DuckDB's SQL, or as it was sent when it could not be read. */
  statement: string
  /** What is wrong, in the service's words; null when nothing is. */
  error: string | null
}

/** Looks at a statement. Nothing is run. */
export async function validate(statement: string, { sessionId, dialect, signal }: Look): Promise<Validation> {
  const body = { statement, session_id: sessionId, dialect }
  return await look<Validation>('/validate', body, signal)
}

/** What could stand at the end of a statement that is begun. */
export async function suggest(
  statement: string,
  { sessionId, dialect, signal }: Look,
): Promise<Suggestion[]> {
  const body = { statement, session_id: sessionId, dialect }
  return (await look<{ suggestions: Suggestion[] }>('/autocomplete', body, signal)).suggestions
}

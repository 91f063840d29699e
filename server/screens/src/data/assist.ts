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
  signal: AbortSignal
}

/** What is wrong with a statement, in the service's words; null when it is valid. Nothing is run. */
export async function validate(statement: string, { sessionId, signal }: Look): Promise<string | null> {
  const body = { statement, session_id: sessionId }
  return (await look<{ error: string | null }>('/validate', body, signal)).error
}

/** What could stand at the end of a statement that is begun. */
export async function suggest(statement: string, { sessionId, signal }: Look): Promise<Suggestion[]> {
  const body = { statement, session_id: sessionId }
  return (await look<{ suggestions: Suggestion[] }>('/autocomplete', body, signal)).suggestions
}

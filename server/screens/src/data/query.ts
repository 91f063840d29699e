import { base } from './base'
import { Problem, readProblem, toProblem } from './Problem'
import { Sql } from './sql'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

export interface Column {
  name: string
  type: string
}

export interface Answer {
  queryId: string
  sessionId: string
  columns: Column[]
  rows: Json[][]
}

export interface AskOptions {
  signal?: AbortSignal
  /** By default the browser's. */
  timeZone?: string
  /** At most as many rows; by default all. */
  limit?: number
  /** A UUID, for asking about the query while it runs (`GET /query/{id}`). */
  queryId?: string
}

export const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The lines of a text that comes in pieces. */
async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + piece.value).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest) throw new Problem('broken', 'The answer ended in the middle of a row. Ask again.')
}

async function readAnswer(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Answer> {
  const lines = readLines(body)
  const next = async (): Promise<unknown> => {
    const line = await lines.next()
    if (line.done) throw new Problem('broken', 'The answer ended before its columns. Ask again.')
    return JSON.parse(line.value)
  }
  const { query_id: queryId, session_id: sessionId } = (await next()) as Record<string, string>
  const columns = (await next()) as Column[]
  const rows: Json[][] = []
  for await (const line of lines) {
    const row = JSON.parse(line) as Json[] | { error: string }
    // A query that failed after its first rows: the service says so in the place of the next.
    if (!Array.isArray(row)) throw new Problem('broken', row.error)
    rows.push(row)
  }
  return { queryId: queryId ?? '', sessionId: sessionId ?? '', columns, rows }
}

/**
 * Runs one statement and returns all of its rows. An aborted `signal` ends the query in the service, too, because that
 * looks whether its client is still there. Throws a `Problem`, nothing else.
 */
export async function ask(statement: Sql | string, options: AskOptions = {}): Promise<Answer> {
  const { signal, timeZone = browserTimeZone, limit, queryId } = options
  try {
    const response = await fetch(`${base}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        statement: typeof statement === 'string' ? statement : statement.text,
        timezone: timeZone,
        columns: 'objects',
        ephemeral: true,
        limit,
        query_id: queryId,
      }),
      ...(signal ? { signal } : {}),
    })
    if (!response.ok || !response.body) throw await readProblem(response)
    return await readAnswer(response.body)
  } catch (error) {
    throw toProblem(error, signal)
  }
}

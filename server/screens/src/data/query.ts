import type { Ask } from './asks'
import { base } from './base'
import { askAsGuest, isGuest } from './guest'
import { Problem, readProblem, toProblem } from './Problem'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

export interface Column {
  name: string
  type: string
}

export interface Answer {
  queryId: string
  sessionId: string
  /** As it was run: translated, if it was written in another dialect. */
  statement: string
  columns: Column[]
  rows: Json[][]
}

export interface AskOptions {
  signal?: AbortSignal
  /** At most as many rows; by default all. */
  limit?: number
  /** A UUID, for cancelling the query or asking about it while it runs. */
  queryId?: string
  /** A session whose temporary tables and variables stay; by default one that ends with the query. */
  sessionId?: string
  /** The name of the dialect that the statement is written in; by default DuckDB's. */
  dialect?: string | undefined
  /** A statement that changes something is refused with the code `not-sanitizable` before it runs. */
  mustRead?: boolean
  /** Called with the rows so far while more come. */
  onRows?: (answer: Answer) => void
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

/** Rows that come within this time are told of together. */
const tellEveryMs = 150

async function readAnswer(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onRows?: (answer: Answer) => void,
): Promise<Answer> {
  const lines = readLines(body)
  const next = async (): Promise<unknown> => {
    const line = await lines.next()
    if (line.done) throw new Problem('broken', 'The answer ended before its columns. Ask again.')
    return JSON.parse(line.value)
  }
  const head = (await next()) as Record<string, string>
  const columns = (await next()) as Column[]
  const rows: Json[][] = []
  const { query_id: queryId = '', session_id: sessionId = '', statement = '' } = head
  const about = { queryId, sessionId, statement, columns }
  let toldAt = -tellEveryMs
  for await (const line of lines) {
    const row = JSON.parse(line) as Json[] | { error: string }
    // A query that failed after its first rows: the service says so in the place of the next.
    if (!Array.isArray(row)) throw new Problem('broken', row.error)
    rows.push(row)
    if (!onRows || performance.now() - toldAt < tellEveryMs) continue
    toldAt = performance.now()
    onRows({ ...about, rows: rows.slice() })
  }
  return { ...about, rows }
}

/** So often a statement is asked again while the query engine starts; the service waits three seconds before it says so. */
const mostStarts = 20

async function post(path: string, body: string, signal?: AbortSignal, starts = 0): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(base + path, { method: 'POST', headers, body, signal: signal ?? null })
  if (response.ok) return response
  const problem = await readProblem(response)
  if (problem.code !== 'engine-starting' || starts === mostStarts) throw problem
  return post(path, body, signal, starts + 1)
}

/**
 * Asks for what has a name, or runs a statement, and returns all of its rows. An aborted `signal` ends the query in the service, too, because that
 * looks whether its client is still there. Throws a `Problem`, nothing else.
 */
export async function ask(what: Ask | string, options: AskOptions = {}): Promise<Answer> {
  const { signal, sessionId } = options
  const isNamed = typeof what !== 'string'
  try {
    const asked = { ...(isNamed ? what : { statement: what }), timezone: browserTimeZone }
    if (isGuest) return await readAnswer((await askAsGuest(asked, signal)).body!, options.onRows)
    const body = JSON.stringify({
      ...asked,
      columns: 'objects',
      ephemeral: sessionId === undefined,
      session_id: sessionId,
      sanitize: options.mustRead,
      limit: options.limit,
      query_id: options.queryId,
      dialect: options.dialect,
    })
    const response = await post(isNamed ? '/answer' : '/query', body, signal)
    return await readAnswer(response.body!, options.onRows)
  } catch (error) {
    throw toProblem(error, signal)
  }
}

/** The statement that answers. Throws a `Problem`, nothing else. */
export async function findStatement(what: Ask): Promise<string> {
  try {
    const body = JSON.stringify({ ...what, timezone: browserTimeZone, dry: true })
    return ((await (await post('/answer', body)).json()) as { statement: string }).statement
  } catch (error) {
    throw toProblem(error)
  }
}

/** Ends a query of this user, also one that a proxy keeps alive after its page has gone. */
export async function cancelQuery(queryId: string, sessionId: string): Promise<void> {
  const search = new URLSearchParams({ session_id: sessionId })
  // A service that does not answer has nothing left to cancel.
  await fetch(`${base}/query/${queryId}?${search.toString()}`, { method: 'DELETE' }).catch(() => {})
}

/** A request's head has 32 KiB of room in the service, for cookies and all. */
const longestAddress = 12_000

/**
 * Where an answer, or the rows of a statement that reads, is downloaded from; undefined where it is too long for an address. A CSV opens in a
 * spreadsheet, so its formulas are made harmless.
 */
export function downloadAddress(
  what: Ask | string,
  format: 'csv' | 'jsonl' | 'parquet',
  title: string,
  sessionId?: string,
): string | undefined {
  const isNamed = typeof what !== 'string'
  const asked = isNamed ? { ask: JSON.stringify(what) } : { statement: what }
  const search = new URLSearchParams({ ...asked, format, timezone: browserTimeZone })
  if (sessionId !== undefined) search.set('session_id', sessionId)
  search.set('file_name', title.replaceAll(/[^\w. -]+/g, '-').slice(0, 100))
  if (format === 'csv') search.set('escape_formulas', 'true')
  const address = `${base}${isNamed ? '/answer' : '/query'}?${search.toString()}`
  return address.length > longestAddress ? undefined : address
}

/** A random UUID. `crypto.randomUUID` is only there over https and on this machine's own address. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte, at) => {
    // The version, 4, and the variant.
    const value = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte
    return value.toString(16).padStart(2, '0')
  })
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

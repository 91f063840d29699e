import { analyticsCatalog } from '../duckdb/quote.js'
import { type HttpError, refuse } from '../http/HttpError.js'
import type { Cancellation } from './Cancellation.js'
import type { ComputeSize } from './computeSize.js'
import type { QueryRunner } from './QueryRunner.js'

/** The first rows of an answer, as values. */
export interface Table {
  [name: string]: unknown
  columns: string[]
  rows: unknown[][]
  /** Whether there are more rows than these. */
  isCut: boolean
}

export interface TableReader {
  runner: QueryRunner
  newCancellation(): Cancellation
}

interface TableQuery {
  user: string
  statement: string
  limit: number
  timezone?: string | undefined
  computeSize?: ComputeSize
  /** The refusal of a statement that changes something. */
  readsOnly: HttpError
  /** Aborted when nobody waits any more. */
  signal: AbortSignal
}

const maxMs = 30_000
const maxBytes = 256 * 1024

/** Runs a statement that reads, in a turn as every query, and gives its first rows: up to `limit`, 256 KiB and 30 seconds. */
export const readTable = async (
  { runner, newCancellation }: TableReader,
  { user, statement, limit, timezone, computeSize, readsOnly, signal }: TableQuery,
): Promise<Table> => {
  const cancellation = newCancellation()
  const timer = setTimeout(() => cancellation.cancel('timeout'), maxMs)
  const leave = () => cancellation.cancel('gone')
  signal.addEventListener('abort', leave)
  try {
    const query = await runner.run({
      user,
      role: 'read',
      userAgent: null,
      request: {
        statement,
        catalog: analyticsCatalog,
        schema: 'main',
        ephemeral: true,
        timezone: timezone ?? null,
        compute_size: computeSize ?? null,
      },
      layout: 'array',
      page: { limit: limit + 1 },
      readsOnly,
      cancellation,
    })
    try {
      if ('file' in query.rows) throw refuse(500, 'internal', 'The answer is a file.')
      const { names } = query.rows
      const lines: string[] = []
      let bytes = 0
      for (let some = await query.rows.next(); some !== undefined; some = await query.rows.next()) {
        for (const line of some.toString().split('\n')) {
          bytes += Buffer.byteLength(line)
          if (line !== '' && bytes <= maxBytes) lines.push(line)
        }
      }
      await query.end()
      const rows = lines.slice(0, limit).map((line) => JSON.parse(line) as unknown[])
      return { columns: [...names], rows, isCut: lines.length > limit || bytes > maxBytes }
    } catch (error) {
      throw query.fail(error)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

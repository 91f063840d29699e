import { refuse } from '../http/HttpError.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import type { Cancellation } from '../sql/Cancellation.js'
import type { QueryRunner } from '../sql/QueryRunner.js'
import { refuseField } from '../sql/refuse.js'

const maxMs = 30_000
const maxBytes = 256 * 1024

/** What an agent reads of an answer. */
export interface Table {
  [name: string]: unknown
  columns: string[]
  rows: unknown[][]
  /** Whether there are more rows than these. */
  isCut: boolean
}

export interface RunForAgent {
  runner: QueryRunner
  newCancellation(): Cancellation
}

export interface AgentQuery {
  user: string
  statement: string
  limit: number
  timezone?: string | undefined
  /** Aborted when the agent has gone. */
  signal: AbortSignal
}

/** Runs a statement that reads, and gives its first rows: up to `limit`, 256 KiB and 30 seconds. */
export const runForAgent = async (
  { runner, newCancellation }: RunForAgent,
  { user, statement, limit, timezone, signal }: AgentQuery,
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
      },
      layout: 'array',
      page: { limit: limit + 1 },
      readsOnly: refuseField('An agent only reads.'),
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

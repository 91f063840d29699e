import { toError } from './LakehouseError'
import { readLines } from './readLines'
import type { Column, QueryMetadata, QueryResult, Row } from './types'

/** Reads the stream of a query: metadata, columns, rows. */
export async function readResult(body: ReadableStream<Uint8Array>): Promise<QueryResult> {
  const lines = readLines(body)
  const next = async () => {
    const { done, value } = await lines.next()
    if (done) throw toError(200, { message: 'The result ended before its columns.' })
    return parse(value)
  }
  const metadata = (await next()) as QueryMetadata
  // The columns are objects, or in another form of the contract plain names.
  const columns = ((await next()) as (Column | string)[]).map((column) =>
    typeof column === 'string' ? { name: column, type: '' } : column,
  )

  async function* read(): AsyncGenerator<Row> {
    for await (const line of lines) yield parse(line) as Row
  }
  const rows = async () => {
    const all: Row[] = []
    for await (const row of read()) all.push(row)
    return all
  }
  return {
    metadata,
    columns,
    [Symbol.asyncIterator]: read,
    rows,
    objects: async () =>
      (await rows()).map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))),
  }
}

/**
 * A result that breaks after it has begun says so in its last line, an object where rows are arrays:
 * `{ error, error_code, query_id }`.
 */
function parse(line: string): unknown {
  const value = JSON.parse(line) as { error?: unknown } | null
  if (value?.error) throw toError(200, value)
  return value
}

import type { DuckDBConnection } from '@duckdb/node-api'
import { Field, RecordBatch, RecordBatchStreamWriter, Schema, Struct, makeData } from 'apache-arrow'
import type { Cancellation } from '../Cancellation.js'
import type { Plan } from '../planStatement.js'
import { prepareOne } from '../prepareOne.js'
import { arrowColumn } from './arrowColumns.js'
import { asTable, type Page, pageSql, uniqueNames } from './encodeRows.js'
import { type Rows, streamChunks } from './streamRows.js'

export interface StreamArrow {
  connection: DuckDBConnection
  plan: Plan
  page: Page
  cancellation: Cancellation
}

/** What ends a stream of Arrow: a mark, and a length of 0. */
const end = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])

/** Rows as a stream of Arrow's IPC format: the schema, then a batch for each of DuckDB's chunks. */
export const streamArrow = async (options: StreamArrow): Promise<Rows> => {
  const { connection, plan, page, cancellation } = options
  const { names, types } = plan
  const columns = types.map((type, at) => arrowColumn(`c${at}`, type))
  const values = columns.map(({ sql }, at) => `${sql} AS v${at}`)
  const rows = `SELECT true AS is_row, ${values.join(', ')} FROM ${asTable(plan.text, names.length)}${pageSql(page)}`
  const sql = `SELECT * FROM (${rows}) UNION ALL SELECT NULL, ${columns.map(() => 'NULL').join(', ')}`
  const prepared = await prepareOne(connection, sql)
  const chunks = await streamChunks(prepared, { connection, plan, cancellation })

  const schema = new Schema(uniqueNames(names).map((name, at) => new Field(name, columns[at]!.type, true)))
  const write = (batches: readonly RecordBatch[]): Buffer => {
    const writer = new RecordBatchStreamWriter()
    writer.reset(undefined, schema)
    for (const batch of batches) writer.write(batch)
    writer.finish()
    const bytes = writer.toUint8Array(true)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  const head = write([]).subarray(0, -end.length)
  let part: 'head' | 'rows' | 'over' = 'head'

  const nextBatch = async (): Promise<Buffer | undefined> => {
    const read = await chunks.next()
    if (read === undefined) return undefined
    const { chunk, rows: length } = read
    const children = columns.map(({ build }, at) => build(chunk.getColumnValues(at + 1).slice(0, length)))
    const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children })
    return length === 0
      ? Buffer.alloc(0)
      : write([new RecordBatch(schema, data)]).subarray(head.length, -end.length)
  }

  return {
    names,
    types,
    settled: chunks.settled,
    close: chunks.close,
    async next() {
      if (part === 'over') return undefined
      const batch = await nextBatch()
      const beginning = part === 'head' ? head : Buffer.alloc(0)
      part = batch === undefined ? 'over' : 'rows'
      return Buffer.concat([beginning, batch ?? end])
    },
  }
}

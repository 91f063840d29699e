import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import { collectSoon } from '../../duckdb/givingBack.js'
import { isFatal, renewReadOnly } from '../../duckdb/transactions.js'
import type { Cancellation } from '../Cancellation.js'
import type { Plan } from '../planStatement.js'
import { prepareOne, tryPrepare } from '../prepareOne.js'
import { messageOfSecondLine, refuseAt } from '../refuse.js'
import { encodeRows, isCsv, type Layout, type Page, uniqueNames } from './encodeRows.js'

/** A vector holds 16 bytes for each text: the length, then the text itself up to 12 bytes, or its address. */
const words = 4
const inlineBytes = 12

/**
 * Reads the first `rows` texts of a chunk's first column as one buffer of UTF-8. DuckDB writes the texts
 * that it makes one behind the other, so a few large pieces hold them all. Copying pieces is four times
 * as fast as copying text by text. Only texts that touch are copied together, so that every byte read
 * belongs to one of them.
 */
export const readText = (chunk: DuckDBDataChunk, rows: number): Buffer => {
  if (rows === 0) return Buffer.alloc(0)
  const data = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, 0), rows * 4 * words)
  const view = new Uint32Array(data.buffer, data.byteOffset, rows * words)
  const lengthOf = (row: number) => view[row * words]!
  /** The address of a text. Addresses are far below 2^53. */
  const addressOf = (row: number) => view[row * words + 3]! * 2 ** 32 + view[row * words + 2]!

  const pieces: Uint8Array[] = []
  for (let row = 0; row < rows;) {
    const at = row * 4 * words
    const length = lengthOf(row)
    if (length <= inlineBytes) {
      pieces.push(data.subarray(at + 4, at + 4 + length))
      row++
      continue
    }
    const start = addressOf(row)
    let end = start + length
    for (row++; row < rows && lengthOf(row) > inlineBytes && addressOf(row) === end; row++) {
      end += lengthOf(row)
    }
    pieces.push(
      duckdb.get_data_from_pointer(data.buffer as ArrayBuffer, data.byteOffset + at + 8, end - start),
    )
  }
  // The pieces are freed with the chunk, so they are copied.
  return Buffer.concat(pieces)
}

export interface Rows {
  names: readonly string[]
  types: readonly DuckDBType[]
  /** Returns many lines at a time, each with its end; undefined after the last. Rejects when rows are missing. */
  next(): Promise<string | Buffer | undefined>
  /** Resolves once no call of DuckDB's is under way. */
  settled?(): Promise<unknown>
  /** Gives back what the rows hold in memory and on the disk, as soon as no call is under way. */
  close?(): Promise<void>
}

const explainWithinMs = 10_000

/** A stream that breaks does not say why. Running the statement again without its rows does. */
const explainFailure = async (connection: DuckDBConnection, text: string): Promise<string> => {
  const timer = setTimeout(() => connection.interrupt(), explainWithinMs)
  let explain: DuckDBPreparedStatement | undefined
  try {
    await renewReadOnly(connection)
    explain = await prepareOne(connection, `EXPLAIN ANALYZE\n${text}`)
    await explain.run()
  } catch (error) {
    if (isFatal(error)) throw error
    const message = messageOfSecondLine(error)
    if (!/^INTERRUPT/i.test(message)) return message
  } finally {
    explain?.destroySync()
    clearTimeout(timer)
  }
  return 'The query failed before its last row.'
}

interface StreamChunks {
  connection: DuckDBConnection
  plan: Plan
  cancellation: Cancellation
}

/**
 * Streams the chunks of a statement that ends with a row of NULLs, which tells a complete result from one that has failed
 * midway; `rows` is how many of a chunk come before it. DuckDB makes the next chunk while one is used. After a
 * cancellation nothing more is asked of DuckDB, because others may have the connection by then.
 */
export const streamChunks = async (
  prepared: DuckDBPreparedStatement,
  { connection, plan, cancellation }: StreamChunks,
) => {
  /** The call of DuckDB's that is under way, or was the last. */
  let call: Promise<unknown> = Promise.resolve()
  const explainBreak = async (error?: unknown) => {
    if (cancellation.error !== undefined) return cancellation.error
    if (isFatal(error)) return error
    const explained = explainFailure(connection, plan.text)
    call = explained.catch(() => undefined)
    return refuseAt(await explained, plan)
  }
  const result = await prepared.stream().catch(async (error: unknown) => {
    prepared.destroySync()
    throw await explainBreak(error)
  })
  let failure: unknown
  const fetch = () => {
    const fetching = result.fetchChunk().catch((error: unknown) => {
      failure = error
      return null
    })
    call = fetching
    return fetching
  }
  let fetched: ReturnType<typeof fetch> | undefined = fetch()
  let isClosed = false
  return {
    settled: () => call,
    async close(): Promise<void> {
      const isOpen = fetched !== undefined
      isClosed = true
      await call
      prepared.destroySync()
      // Nothing destroys a stream but the next statement on its connection, or the garbage collector some time later;
      // until then what has been spilled keeps the disk full.
      if (!isOpen) return
      fetched = undefined
      call = Promise.resolve()
      await connection.run('SELECT 1').catch(() => undefined)
      collectSoon()
    },
    async next(): Promise<{ chunk: DuckDBDataChunk; rows: number } | undefined> {
      if (fetched === undefined) return undefined
      const chunk = await fetched
      if (isClosed) throw cancellation.error ?? new Error('The rows are closed.')
      if (chunk === null || chunk.rowCount === 0) throw await explainBreak(failure)
      const isLast = chunk.getColumnVector(0).getItem(chunk.rowCount - 1) === null
      fetched = isLast ? undefined : fetch()
      return { chunk, rows: isLast ? chunk.rowCount - 1 : chunk.rowCount }
    },
  }
}

interface StreamOptions {
  connection: DuckDBConnection
  plan: Plan
  layout: Layout
  page: Page
  cancellation: Cancellation
}

/**
 * Streams rows as text.
 * Undefined when the statement cannot stand inside another one.
 */
export const streamRows = async (options: StreamOptions): Promise<Rows | undefined> => {
  const { connection, plan, layout, page, cancellation } = options
  const { names, types } = plan
  const sql = encodeRows(plan.text, layout === 'object' ? uniqueNames(names) : names, layout, page, types)
  const wrapped = await tryPrepare(connection, sql)
  if (wrapped === undefined) {
    await renewReadOnly(connection)
    return undefined
  }
  const mend =
    isCsv(layout) || layout === 'text' ? (lines: Buffer) => lines : createMend(types, layout === 'object')
  const { settled, close, next } = await streamChunks(wrapped, { connection, plan, cancellation })
  return {
    names,
    types,
    settled,
    close,
    async next() {
      const part = await next()
      const lines = part && mend(readText(part.chunk, part.rows))
      return lines?.length === 0 ? undefined : lines
    },
  }
}

export type Mend = (json: Buffer) => Buffer

const wide = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.VARIANT,
])
const exact = new Set([DuckDBTypeId.DECIMAL, DuckDBTypeId.BIGNUM, DuckDBTypeId.VARIANT])
const floating = new Set([DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE, DuckDBTypeId.VARIANT])

const holds = (type: DuckDBType, ids: ReadonlySet<DuckDBTypeId>): boolean => {
  if (ids.has(type.typeId)) return true
  const { valueType, keyType, entryTypes, memberTypes } = type as unknown as Record<string, unknown>
  const inner = [valueType, keyType, ...((entryTypes ?? memberTypes ?? []) as unknown[])]
  return inner.some((each) => each !== undefined && holds(each as DuckDBType, ids))
}

const token = /"(?:[^"\\]|\\.)*"|-?Infinity|-?NaN|-?\d{16,}(?:\.\d+)?(?![\d.eE])|-?\d+\.\d+(?![\deE])/g

const mendInfinite = (text: string): string => (/^-?[IN]/.test(text) ? 'null' : text)

const mendToken = (text: string): string => {
  if (text.startsWith('"')) return text
  if (/[IN]/.test(text)) return 'null'
  // Zeros at either end are not counted: no reader loses them. A DOUBLE has at most 17 digits, so it
  // always stays a number.
  const digits = text.replace('.', '').replaceAll(/^-?0*|0+$/g, '')
  const isSafe = text.includes('.') ? digits.length <= 17 : Number.isSafeInteger(Number(text))
  return isSafe ? text : `"${text}"`
}

const same: Mend = (json) => json

/**
 * DuckDB writes NaN and infinities bare, which is not JSON, so they become null. It writes 64-bit
 * integers as numbers, which JavaScript reads wrongly beyond 2^53 - 1, so those become text. With
 * `keepsDigits` they stay numbers, because each column must keep one type.
 */
export const createMend = (types: readonly DuckDBType[], keepsDigits: boolean): Mend => {
  const hasWide = types.some((type) => type.alias === 'JSON' || holds(type, wide))
  const hasExact = types.some((type) => holds(type, exact))
  const hasFloating = types.some((type) => holds(type, floating))
  const suspicions = [
    // Only sixteen digits before a point are suspect: a DOUBLE may have sixteen after it and is right.
    ...(hasWide && !keepsDigits ? [String.raw`(?<![\d.])\d{16}`] : []),
    ...(hasExact && !keepsDigits ? [String.raw`\d[\d.]{17}`] : []),
    ...(hasFloating ? ['NaN|Infinity'] : []),
  ]
  if (suspicions.length === 0) return same
  const suspect = new RegExp(suspicions.join('|'))
  // All suspects are ASCII, and UTF-8 has no ASCII byte inside another character, so the search needs no decoding.
  const mendOne = keepsDigits ? mendInfinite : mendToken
  return (json) =>
    suspect.test(json.toString('latin1')) ? Buffer.from(json.toString().replaceAll(token, mendOne)) : json
}

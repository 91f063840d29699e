import type { DuckDBType, DuckDBConnection } from '@duckdb/node-api'
import type { Changes } from '../../duckdb/transactions.js'
import type { HeldConnection } from '../HeldConnections.js'
import type { Plan } from '../planStatement.js'
import type { QueryJob } from '../QueryRequest.js'
import type { Caching } from '../QueryLog.js'
import type { Rows } from '../rows/streamRows.js'
import type { SearchPath } from '../searchPath.js'
import type { Volatility } from './Volatility.js'

/** All rows of one answer, as they are sent. */
export interface CachedAnswer {
  names: readonly string[]
  types: readonly DuckDBType[]
  lines: Buffer
  fingerprint: number | null
}

/** What names, types and the map's own entry take, roughly. */
const bytesOf = (key: string, { names, lines }: CachedAnswer): number =>
  lines.length + 2 * key.length + 1024 + names.reduce((sum, name) => sum + 2 * name.length + 256, 0)

/**
 * Answers to statements, for as long as nothing that is stored changes: the first change makes all of them old, and
 * they are dropped when the cache is used next.
 */
export class AnswerCache {
  readonly #changes: Changes
  readonly #maxBytes: number
  /** The longest answer that is taken, so that one cannot drive out all others. */
  readonly maxAnswerBytes: number
  /** In the order in which they came. */
  readonly #answers = new Map<string, CachedAnswer>()
  #at: number | undefined
  #bytes = 0

  constructor(maxBytes: number, changes: Changes) {
    this.#maxBytes = maxBytes
    this.maxAnswerBytes = maxBytes / 16
    this.#changes = changes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The state of what is stored, as far as it is known; undefined while it changes. */
  get now(): number | undefined {
    return this.#changes.count
  }

  find(key: string): CachedAnswer | undefined {
    return this.#isNew() ? this.#answers.get(key) : undefined
  }

  /** Keeps an answer that was read after `since`, unless something has changed since then. */
  keep(key: string, answer: CachedAnswer, since: number | undefined): void {
    if (!this.#isNew() || since !== this.#at) return
    const bytes = bytesOf(key, answer)
    if (bytes > this.maxAnswerBytes) return
    this.#drop(key)
    this.#answers.set(key, answer)
    this.#bytes += bytes
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#drop(oldest)
    }
  }

  /** Gives the memory back. */
  clear(): void {
    this.#answers.clear()
    this.#bytes = 0
  }

  /** Whether the answers are those of what is stored now. Drops older ones. */
  #isNew(): boolean {
    const now = this.#changes.count
    if (now === undefined) return false
    if (now !== this.#at) this.clear()
    this.#at = now
    return true
  }

  #drop(key: string): void {
    const answer = this.#answers.get(key)
    if (answer === undefined) return
    this.#answers.delete(key)
    this.#bytes -= bytesOf(key, answer)
  }
}

const nothing = { filehandle_hits: 0, filehandle_misses: 0, metadata_hits: 0, metadata_misses: 0 }

export const hit = (bytes: number): Caching => ({
  data_hits: 1,
  data_misses: 0,
  data_bytes_hits: bytes,
  data_bytes_misses: 0,
  ...nothing,
})

const missed = (bytes: number): Caching => ({
  data_hits: 0,
  data_misses: 1,
  data_bytes_hits: 0,
  data_bytes_misses: bytes,
  ...nothing,
})

/** All that an answer depends on besides what is stored. */
const keyOf = ({ request, role, layout, page }: QueryJob, held: HeldConnection, path: SearchPath): string =>
  JSON.stringify([
    ...[request.statement, request.dialect ?? null, path.catalog, path.schema],
    ...[request.timezone ?? held.timezone, layout, page.limit ?? null, page.offset ?? null, role],
  ])

/** What one query has to do with the cache. */
export class CacheUse {
  readonly #cache: AnswerCache
  readonly #volatility: Volatility
  readonly #key: string
  #since: number | undefined
  /** Undefined once the answer is too long to be kept. */
  #parts: Buffer[] | undefined = []
  #bytes = 0
  #isComplete = false

  private constructor(cache: AnswerCache, volatility: Volatility, key: string) {
    this.#cache = cache
    this.#volatility = volatility
    this.#key = key
  }

  /** Undefined when the query shall neither be answered from the cache nor be kept there. */
  static of(
    { cache, volatility }: { cache: AnswerCache; volatility: Volatility },
    job: QueryJob,
    held: HeldConnection,
    path: SearchPath,
  ): CacheUse | undefined {
    const isAsked =
      job.request.cache !== false &&
      job.postgres === undefined &&
      job.layout !== 'parquet' &&
      job.layout !== 'arrow'
    if (!isAsked || held.mayHoldOwn) return undefined
    return new CacheUse(cache, volatility, keyOf(job, held, path))
  }

  find(): CachedAnswer | undefined {
    return this.#cache.find(this.#key)
  }

  /** Call it before DuckDB reads: the answer is kept only if nothing changes from now until it is complete. */
  begin(): void {
    this.#since = this.#cache.now
  }

  /** Passes the rows on, and keeps a copy of them. */
  watch(rows: Rows): Rows {
    return {
      ...rows,
      next: async () => {
        const lines = await rows.next()
        if (lines === undefined) this.#isComplete = true
        else this.#take(typeof lines === 'string' ? Buffer.from(lines) : lines)
        return lines
      },
    }
  }

  /** Keeps a complete answer that may be given again. The result is null for one that is never kept. */
  async end(
    connection: DuckDBConnection,
    { kind, tokens }: Plan,
    rows: Rows,
    fingerprint: number | null,
  ): Promise<Caching | null> {
    if (kind !== 'read') return null
    // Definitions cannot be read when memory is short, or when the engine is being closed. The answer is sent all the same.
    const isVolatile = await this.#volatility.isVolatile(connection, tokens).catch(() => true)
    if (isVolatile) return null
    if (this.#isComplete && this.#parts !== undefined) {
      const { names, types } = rows
      // A buffer of Node's pool would hold the pool's 8 KiB for a short answer.
      const lines = Buffer.allocUnsafeSlow(this.#bytes)
      let at = 0
      for (const part of this.#parts) at += part.copy(lines, at)
      const answer = { names, types, lines, fingerprint }
      this.#cache.keep(this.#key, answer, this.#since)
    }
    return missed(this.#bytes)
  }

  #take(lines: Buffer): void {
    this.#bytes += lines.length
    if (this.#bytes > this.#cache.maxAnswerBytes) this.#parts = undefined
    this.#parts?.push(lines)
  }
}

import type { DuckDBType } from '@duckdb/node-api'
import type { Changes } from '../../duckdb/transactions.js'

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

import { refuse } from '../http/HttpError.js'

export interface Permit {
  /** Gives the place to the next in the queue. */
  release(): void
}

/**
 * Every running DuckDB call holds a thread of libuv's pool, which the file system needs too. So
 * fewer queries run at once than the pool has threads, and the rest wait here, where a cancelled
 * one is simply not started.
 */
export class ConcurrencyLimit {
  #free: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []

  constructor(permits: number, maxWaiting: number) {
    this.#free = permits
    this.#maxWaiting = maxWaiting
  }

  /** Waits for a permit; rejects when the queue is full, or when `signal` is aborted first. */
  acquire(signal?: AbortSignal): Promise<Permit> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error)
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve(this.#permit())
    }
    const ahead = this.#waiting.length
    if (ahead >= this.#maxWaiting) {
      const message = `${ahead} queries are waiting already. Send again in a while.`
      return Promise.reject(refuse(503, 'overloaded', message, { 'retry-after': '2' }))
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve(this.#permit())
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(signal?.reason as Error)
      }
      this.#waiting.push(start)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #permit(): Permit {
    let held = true
    return {
      release: () => {
        if (!held) return
        held = false
        const next = this.#waiting.shift()
        if (next === undefined) this.#free++
        else next()
      },
    }
  }
}

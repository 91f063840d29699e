import { Refusal } from '../http/Refusal.js'

export interface Ticket {
  /** Gives the place to the next in the queue. */
  release(): void
}

export interface Admission {
  /** Waits for a place; rejects when the queue is full, or when `signal` is aborted first. */
  enter(signal: AbortSignal): Promise<Ticket>
}

const full = (waiting: number) =>
  new Refusal(
    503,
    { error: 'overloaded', message: `${waiting} queries are waiting already. Send again in a while.` },
    { 'retry-after': '2' },
  )

/**
 * Every running DuckDB call holds a thread of libuv's pool, which the file system needs too. So
 * fewer queries run at once than the pool has threads, and the rest wait here, where a cancelled
 * one is simply not started.
 */
export const createAdmission = (places: number, maxWaiting: number): Admission => {
  let free = places
  const waiting: (() => void)[] = []

  const ticket = (): Ticket => {
    let held = true
    return {
      release() {
        if (!held) return
        held = false
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      },
    }
  }

  return {
    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error)
      if (free > 0) {
        free--
        return Promise.resolve(ticket())
      }
      if (waiting.length >= maxWaiting) return Promise.reject(full(waiting.length))
      return new Promise((resolve, reject) => {
        const start = () => {
          signal.removeEventListener('abort', leave)
          resolve(ticket())
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(start), 1)
          reject(signal.reason as Error)
        }
        waiting.push(start)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
  }
}

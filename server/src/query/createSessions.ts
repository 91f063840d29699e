import { randomUUID } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'

export interface Place {
  catalog: string
  schema: string
}

export interface Session {
  readonly id: string
  readonly user: string
  readonly connection: DuckDBConnection
  /** What an unqualified name means; `USE` changes it. */
  place: Place
  timezone: string
  /** One statement at a time: a second one would end the rows of the first. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

export interface Sessions {
  /** The user's session of that id, made when it is not there; a fresh one without an id. */
  open(user: string, id: string | undefined): Promise<Session>
  find(user: string, id: string): Session | undefined
  /** Forgets the session; its connection closes once nothing runs on it. */
  end(session: Session): void
  close(): Promise<void>
}

export interface SessionsOptions {
  connect(): Promise<DuckDBConnection>
  home: Place
  maxSessions: number
  idleMs: number
}

interface Held extends Session {
  busy: number
  usedAt: number
  /** Resolves when what was begun on it has ended. */
  settled(): Promise<unknown>
}

const settings = [
  'SET enable_progress_bar = true',
  'SET enable_progress_bar_print = false',
  'SET progress_bar_time = 0',
]

/** Sessions keep temporary tables, variables and USE between queries, one DuckDB connection each. */
export const createSessions = ({ connect, home, maxSessions, idleMs }: SessionsOptions): Sessions => {
  const held = new Map<string, Held>()
  const keyOf = (user: string, id: string) => JSON.stringify([user, id])

  // DuckDB does not survive a connection that is closed under a running call.
  const end = async (session: Session) => {
    const known = held.get(keyOf(session.user, session.id))
    if (known !== session || known === undefined) return
    held.delete(keyOf(session.user, session.id))
    while (known.busy > 0) await known.settled()
    known.connection.closeSync()
  }

  const sweep = (now: number) => {
    const idle = [...held.values()].filter((each) => each.busy === 0).toSorted((a, b) => a.usedAt - b.usedAt)
    let over = held.size - maxSessions
    for (const each of idle) {
      if (over-- > 0 || now - each.usedAt > idleMs) void end(each)
    }
  }
  const timer = setInterval(() => sweep(Date.now()), Math.min(idleMs, 30_000))
  timer.unref()

  const make = async (user: string, id: string): Promise<Held> => {
    const connection = await connect()
    for (const setting of settings) await connection.run(setting)
    let last: Promise<unknown> = Promise.resolve()
    const session: Held = {
      id,
      user,
      connection,
      place: home,
      timezone: 'UTC',
      busy: 0,
      usedAt: Date.now(),
      settled: () => last,
      exclusively(work) {
        session.busy++
        const run = last.then(work).finally(() => {
          session.busy--
          session.usedAt = Date.now()
        })
        last = run.catch(() => undefined)
        return run
      },
    }
    return session
  }

  return {
    async open(user, id = randomUUID()) {
      const key = keyOf(user, id)
      const known = held.get(key)
      if (known !== undefined) {
        known.usedAt = Date.now()
        return known
      }
      const made = await make(user, id)
      // Two requests may have asked for the same new session.
      const other = held.get(key)
      if (other !== undefined) {
        made.connection.closeSync()
        return other
      }
      held.set(key, made)
      sweep(Date.now())
      return made
    },
    find: (user, id) => held.get(keyOf(user, id)),
    end: (session) => void end(session),
    async close() {
      clearInterval(timer)
      await Promise.all([...held.values()].map(end))
    },
  }
}

import { randomUUID } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Refusal } from '../http/Refusal.js'

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
  /** A session that nobody can come back to; `end` it. */
  openEphemeral(user: string): Promise<Session>
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
  isOpen: boolean
  /** Its id came from a client, who may be coming back. */
  isNamed: boolean
  /** Resolves when what was begun on it has ended. */
  settled(): Promise<unknown>
}

const graceMs = 1000

const ended = () =>
  new Refusal(
    503,
    { error: 'session-ended', message: 'The session has just ended. Send again.' },
    { 'retry-after': '1' },
  )

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
  const end = async (session: Held) => {
    const key = keyOf(session.user, session.id)
    if (held.get(key) === session) held.delete(key)
    while (session.busy > 0) await session.settled()
    if (session.isOpen) session.connection.closeSync()
    session.isOpen = false
  }
  const ephemeral = new WeakMap<Session, Held>()

  const sweep = (now: number) => {
    const idle = [...held.values()].filter((each) => each.busy === 0).toSorted((a, b) => a.usedAt - b.usedAt)
    // Those that nobody named make room; the named count among themselves, so that requests without
    // a session, however many, end nobody's.
    const named = [...held.values()].filter((each) => each.isNamed).length
    const over = { named: named - maxSessions, unnamed: held.size - maxSessions }
    for (const each of idle) {
      const age = now - each.usedAt
      const kind = each.isNamed ? 'named' : 'unnamed'
      // One that was opened a moment ago is about to be used.
      if (age > idleMs || (age > graceMs && over[kind]-- > 0)) void end(each)
    }
  }
  const timer = setInterval(() => sweep(Date.now()), Math.min(idleMs, 30_000))
  timer.unref()

  const make = async (user: string, id?: string): Promise<Held> => {
    const connection = await connect()
    for (const setting of settings) await connection.run(setting)
    let last: Promise<unknown> = Promise.resolve()
    const session: Held = {
      id: id ?? randomUUID(),
      isNamed: id !== undefined,
      user,
      connection,
      place: home,
      timezone: 'UTC',
      busy: 0,
      usedAt: Date.now(),
      isOpen: true,
      settled: () => last,
      exclusively(work) {
        if (!session.isOpen) return Promise.reject(ended())
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
    async open(user, id) {
      const known = id === undefined ? undefined : held.get(keyOf(user, id))
      if (known !== undefined) {
        known.usedAt = Date.now()
        known.isNamed = true
        return known
      }
      const made = await make(user, id)
      // Two requests may have asked for the same new session.
      const key = keyOf(user, made.id)
      const other = held.get(key)
      if (other !== undefined) {
        made.connection.closeSync()
        return other
      }
      held.set(key, made)
      sweep(Date.now())
      return made
    },
    async openEphemeral(user) {
      const made = await make(user)
      ephemeral.set(made, made)
      return made
    },
    find: (user, id) => held.get(keyOf(user, id)),
    end(session) {
      const known = held.get(keyOf(session.user, session.id)) ?? ephemeral.get(session)
      if (known !== undefined) void end(known)
    },
    async close() {
      clearInterval(timer)
      await Promise.all([...held.values()].map(end))
    },
  }
}

import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import type { AlertNews } from '../alerts/alertsSchema.js'
import type { ErasureRequest, ErasureState } from '../payloads/erasure.js'
import type { DeadLetter } from '../wal/rejected.js'

/** What the engine reports about itself every second. */
export interface EngineVitals {
  residentBytes: number
  cpuSeconds: number
  queries: QueryCounts
}

/** Counts queries by HTTP and by the Postgres protocol since the engine started. */
export interface QueryCounts {
  waiting: number
  running: number
  completed: number
  failed: number
  cancelled: number
}

export const noQueries: Readonly<QueryCounts> = {
  waiting: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
}

export const processVitals = (): Omit<EngineVitals, 'queries'> => {
  const { user, system } = process.cpuUsage()
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 }
}

/** Whose statement it is, and by its key which one. */
export interface Culprit {
  user: string
  /** Undefined where only the user is known. */
  statement?: string
}

/** A message from the ingest process to the engine. */
export type ToEngine =
  | { kind: 'grown'; durable: number }
  | { kind: 'wanted'; sequence: number }
  /** The service ends, and running queries must be told so. */
  | { kind: 'stopping' }
  /** A client of the Postgres protocol cancels its query. */
  | { kind: 'cancelPostgres'; process: number; secret: number }
  /** The connections of the Postgres protocol must end, each after its current query. */
  | { kind: 'endPostgres' }
  /** Statements that ended the engine again and again, by their keys, each with the reason why it is refused. */
  | { kind: 'refused'; statements: readonly (readonly [key: string, reason: string])[] }
  /** The newest row that was accepted until a moment, which the engine has asked for. */
  | { kind: 'clock'; atMs: number; through: number }
  /** Persons must be erased from all rows up to this one. */
  | { kind: 'erase'; requests: ErasureRequest[]; through: number }

/** A message from the engine to the ingest process. `log` is the number of a log. */
export type ToIngest =
  | {
      kind: 'hello'
      pid: number
      applied: [log: number, through: number][]
      setAside: [log: number, letters: DeadLetter[]][]
      /** Why rows of a log are not stored; null when they are. Logs without a try so far are left out. */
      storing: (readonly [log: number, failing: string | null])[]
      vitals: EngineVitals
      /** All pending erasures, and the newest finished ones. */
      erasures: readonly ErasureState[]
    }
  | { kind: 'erasure'; state: ErasureState }
  | { kind: 'clockWanted'; atMs: number }
  /** What alerts have found, for the log. */
  | { kind: 'alertNews'; news: readonly AlertNews[] }
  | { kind: 'applied'; log: number; through: number; tookMs: number }
  | { kind: 'setAside'; log: number; letter: DeadLetter }
  /** Why the last try to store rows failed; null after a success. */
  | { kind: 'storing'; log: number; failing: string | null }
  /** DuckDB begins with a statement. An engine that crashes tells nothing more, so this comes before. */
  | { kind: 'begun'; id: number; asked: Culprit }
  | { kind: 'done'; id: number }
  /** The engine ends now. `culprit` tells whose statement has ended it, where that is known. */
  | { kind: 'ending'; reason: string; culprit?: Culprit }
  /** It is sent every second, so that silence shows an engine that hangs. */
  | { kind: 'alive'; vitals: EngineVitals }

/** The protocol that a connection to the engine's socket is upgraded to. */
export const linkProtocol = 'waymark-link'

export const send = (socket: Socket, message: ToEngine | ToIngest): void => {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}

/** Calls `take` for each message that arrives: in both directions a message is one line of JSON. */
export const receive = (socket: Socket, take: (message: unknown) => void): void => {
  const decoder = new StringDecoder()
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) take(JSON.parse(line))
  })
}

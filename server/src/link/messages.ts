import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import type { EngineVitals } from '../metrics/EngineVitals.js'
import type { ErasureRequest, ErasureState } from '../privacy/erasure.js'
import type { DeadLetter } from '../wal/DeadLetters.js'

/** What the ingest process tells the engine. */
export type ToEngine =
  | { kind: 'grown'; durable: number }
  | { kind: 'wanted'; sequence: number }
  /** The service ends: running queries are to be told so. */
  | { kind: 'stopping' }
  /** A client of the Postgres protocol asks that its query be stopped. */
  | { kind: 'cancelPostgres'; process: number; secret: number }
  /** Clients of the Postgres protocol are to end, each after what it is at. */
  | { kind: 'endPostgres' }
  /** Persons are to be erased, with all rows up to this one. */
  | { kind: 'erase'; requests: ErasureRequest[]; through: number }

/** What the engine tells the ingest process. `log` is the number of a log. */
export type ToIngest =
  | {
      kind: 'hello'
      pid: number
      applied: [log: number, through: number][]
      setAside: [log: number, letters: DeadLetter[]][]
      /** Why rows of a log are not stored, null where they are; nothing of one that was not tried yet. */
      storing: (readonly [log: number, failing: string | null])[]
      vitals: EngineVitals
      /** All that are not finished, and the newest that are. */
      erasures: ErasureState[]
    }
  | { kind: 'erasure'; state: ErasureState }
  | { kind: 'applied'; log: number; through: number }
  | { kind: 'setAside'; log: number; letter: DeadLetter }
  /** Why the last try to store rows failed; null once one went well. */
  | { kind: 'storing'; log: number; failing: string | null }
  /** Told every second, so that silence says something. */
  | { kind: 'alive'; vitals: EngineVitals }

/** The protocol that a connection to the engine's socket is upgraded to. */
export const linkProtocol = 'waymark-link'

export const send = (socket: Socket, message: ToEngine | ToIngest): void => {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}

/** One JSON message a line, in both directions. */
export const receive = (socket: Socket, take: (message: unknown) => void): void => {
  const decoder = new StringDecoder()
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) take(JSON.parse(line))
  })
}

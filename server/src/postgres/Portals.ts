import type { Portal } from './Portal.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import type { Described } from './describeStatement.js'
import type { Field } from './types.js'
import type { Statement } from './statements/statements.js'

export interface Prepared extends Described {
  /** Undefined when the client's text is empty. */
  statement: Statement | undefined
  /** The columns as the client was told of them: it reads all later rows so. */
  told?: readonly Field[] | undefined
  bytes: number
}

const maxPrepared = 1000
const maxBytes = 64 * 1_048_576

/** The statements that a client has prepared, by their names. The statement without a name is replaced by the next. */
export class PreparedStatements {
  readonly #all = new Map<string, Prepared>()
  #bytes = 0

  /** Throws when there is no room for one more. */
  makeRoom(name: string, bytes: number): void {
    if (name === '') this.forget(name)
    if (this.#all.has(name)) {
      throw new ProtocolError('42P05', `There is a prepared statement ${name.slice(0, 80)} already.`)
    }
    if (this.#all.size < maxPrepared && this.#bytes + bytes <= maxBytes) return
    throw new ProtocolError(
      sqlState.limitReached,
      `A connection may hold ${maxPrepared} prepared statements of ${maxBytes} bytes in all.`,
    )
  }

  add(name: string, prepared: Prepared): void {
    this.#all.set(name, prepared)
    this.#bytes += prepared.bytes
  }

  find(name: string): Prepared {
    const found = this.#all.get(name)
    if (found !== undefined) return found
    throw new ProtocolError(
      sqlState.unknownStatement,
      `There is no prepared statement ${JSON.stringify(name.slice(0, 80))}.`,
    )
  }

  forget(name: string): void {
    this.#bytes -= this.#all.get(name)?.bytes ?? 0
    this.#all.delete(name)
  }

  /** Forgets one by name, which must be there, or all. */
  deallocate(name?: string): void {
    if (name !== undefined) {
      this.find(name)
      this.forget(name)
      return
    }
    this.#all.clear()
    this.#bytes = 0
  }
}

/** How many portals may have sent some of their rows only: each keeps a permit, and there are few permits. */
const maxSuspended = 4

const maxPortals = 1000

/** The portals of one client, by their names. */
export class Portals {
  readonly #portals = new Map<string, Portal>()
  #bytes = 0

  /** Adds a portal and drops the one that had its name. Throws when there is no room. */
  set(name: string, portal: Portal): void {
    this.drop(name)
    if (this.#portals.size >= maxPortals || this.#bytes + portal.bytes > maxBytes) {
      throw new ProtocolError(
        sqlState.limitReached,
        `A connection may hold ${maxPortals} portals of ${maxBytes} bytes in all.`,
      )
    }
    this.#bytes += portal.bytes
    this.#portals.set(name, portal)
  }

  has(name: string): boolean {
    return this.#portals.has(name)
  }

  find(name: string): Portal {
    const found = this.#portals.get(name)
    if (found !== undefined) return found
    throw new ProtocolError(
      sqlState.unknownPortal,
      `There is no portal ${JSON.stringify(name.slice(0, 80))}.`,
    )
  }

  /** Throws when too many other portals run and have not been read to their end. */
  admit(portal: Portal): void {
    const suspended = [...this.#portals.values()].filter(
      (each) => each !== portal && each.source !== undefined,
    )
    if (suspended.length >= maxSuspended) {
      throw new ProtocolError(
        sqlState.tooLarge,
        `${maxSuspended} portals are open already: read one to its end, or close it.`,
      )
    }
  }

  drop(name: string): void {
    const portal = this.#portals.get(name)
    if (portal === undefined) return
    portal.source?.close('gone')
    this.#bytes -= portal.bytes
    this.#portals.delete(name)
  }

  dropAll(): void {
    for (const name of this.#portals.keys()) this.drop(name)
  }

  dropCursors(): void {
    for (const [name, { cursor }] of this.#portals) if (cursor !== undefined) this.drop(name)
  }

  /** Drops what ends with its transaction. */
  endTransaction(): void {
    for (const [name, { cursor }] of this.#portals) if (cursor?.isHeld !== true) this.drop(name)
  }
}

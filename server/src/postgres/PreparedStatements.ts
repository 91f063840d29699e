import type { Described } from './describeStatement.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import type { Statement } from './statements/statements.js'

export interface Prepared extends Described {
  /** Undefined when the client's text is empty. */
  statement: Statement | undefined
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

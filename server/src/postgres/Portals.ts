import type { Portal } from './Portal.js'
import { ProtocolError, sqlState } from './ProtocolError.js'

/** Portals that have given some of their rows: each holds a permit to run, of which there are few. */
const maxSuspended = 4

/** The portals of one connection, by their names. */
export class Portals {
  readonly #portals = new Map<string, Portal>()

  set(name: string, portal: Portal): void {
    this.drop(name)
    this.#portals.set(name, portal)
  }

  find(name: string): Portal {
    const found = this.#portals.get(name)
    if (found !== undefined) return found
    throw new ProtocolError(
      sqlState.unknownPortal,
      `There is no portal ${JSON.stringify(name.slice(0, 80))}.`,
    )
  }

  /** Refuses one more that runs when too many others have not been read to their end. */
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
    this.#portals.get(name)?.source?.close('gone')
    this.#portals.delete(name)
  }

  dropAll(): void {
    for (const name of this.#portals.keys()) this.drop(name)
  }
}

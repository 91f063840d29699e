import { openSync, readFileSync, writeSync, closeSync } from 'node:fs'

/** A batch that is about to be stored. */
export interface Tried {
  /** The position before it. */
  applied: number
  bytes: number
  isOneRow: boolean
  /** Whether the row is to blame if the engine ends now, because nothing else needs memory. */
  isToBlame: boolean
}

interface Noted extends Tried {
  /** For how many engines before this one the same row was to blame. */
  ends: number
}

const lineBytes = 128

const read = (file: string): Noted | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Noted
  } catch {
    // There is none yet, or not all of it was written: then nothing is known.
    return undefined
  }
}

/**
 * What an engine was about to store when it ended, so that the next one does not begin with what ended this one.
 * It is written over in place without waiting for the disk: it need only outlive the process, and may be lost.
 *
 *   one line of JSON, filled up with spaces to 128 bytes:
 *   {"applied":1200,"bytes":9000,"isOneRow":false,"isToBlame":false,"ends":0}
 */
export class Attempt {
  readonly #file: number | undefined
  readonly #before: Noted | undefined

  constructor(file: string) {
    this.#before = read(file)
    try {
      this.#file = openSync(file, this.#before === undefined ? 'w' : 'r+', 0o600)
    } catch {
      // On a full disk storing goes on without it.
    }
  }

  /** How many bytes were being stored after a position when an engine ended. */
  unfinishedAt(applied: number): number | undefined {
    return this.#before?.applied === applied ? this.#before.bytes : undefined
  }

  /** Whether an engine ended while the row after a position was a batch alone. */
  isRowAt(applied: number): boolean {
    return this.#before?.applied === applied && this.#before.isOneRow
  }

  /** How many engines the row after a position is to blame for. */
  endsAt(applied: number): number {
    const before = this.#before
    return before?.applied === applied ? before.ends + Number(before.isToBlame) : 0
  }

  note(tried: Tried): void {
    this.#write({ ...tried, ends: this.endsAt(tried.applied) })
  }

  /** What failed does not matter to the next engine. */
  clear(): void {
    this.#write({ applied: -1, bytes: 0, isOneRow: false, isToBlame: false, ends: 0 })
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #write(noted: Noted): void {
    if (this.#file === undefined) return
    try {
      writeSync(this.#file, JSON.stringify(noted).padEnd(lineBytes), 0)
    } catch {
      // On a full disk storing goes on without this note.
    }
  }
}

import { openSync, readFileSync, writeSync, closeSync } from 'node:fs'

/** Describes a batch that is about to be stored. */
export interface Tried {
  /** The position before the batch. */
  applied: number
  bytes: number
  isOneRow: boolean
  /** Whether the row is the cause if the engine ends now, because nothing else needs memory. */
  isToBlame: boolean
}

interface Noted extends Tried {
  /** How many engines before this one ended because of the same row. */
  ends: number
}

const lineBytes = 128

const read = (file: string): Noted | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Noted
  } catch {
    // There is no file yet, or the write was cut off: then nothing is known.
    return undefined
  }
}

/**
 * Notes what the engine is about to store, so that the next engine does not begin with the batch that ended this one.
 * The file is written over in place without waiting for the disk: it need only outlive the process, and may be lost.
 *
 * | offset | length | meaning |
 * |---|---|---|
 * | 0 | 128 | one line of JSON, filled up with spaces |
 *
 * The line is, for example, `{"applied":1200,"bytes":9000,"isOneRow":false,"isToBlame":false,"ends":0}`.
 * Check: a line that is not JSON counts as no note. Another version: a note counts only for a row after `applied`.
 */
export class Attempt {
  readonly #file: number | undefined
  readonly #before: Noted | undefined

  constructor(file: string) {
    this.#before = read(file)
    try {
      this.#file = openSync(file, this.#before === undefined ? 'w' : 'r+', 0o600)
    } catch {
      // On a full disk storing goes on without notes.
    }
  }

  /** The size of the batch after a position that was being stored when an engine ended, in bytes. */
  unfinishedAt(applied: number): number | undefined {
    return this.#before?.applied === applied ? this.#before.bytes : undefined
  }

  /** Whether an engine ended while it stored the row after a position by itself. */
  isRowAt(applied: number): boolean {
    return this.#before?.applied === applied && this.#before.isOneRow
  }

  /** How many engines ended because of the row after a position. */
  endsAt(applied: number): number {
    const before = this.#before
    return before?.applied === applied ? before.ends + Number(before.isToBlame) : 0
  }

  note(tried: Tried): void {
    this.#write({ ...tried, ends: this.endsAt(tried.applied) })
  }

  /** Removes the note: the batch failed for a reason that the next engine need not know. */
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

import { type NewFrame, sizeOfFrame, writeFrame } from './segment.js'

/** The buffer grows up to this size and is used again; a larger frame gets memory of its own. */
const maxKeptBytes = 2 ** 22

/** Puts frames together in memory that is used again: a frame is valid until the next one is written. */
export class FrameBuffer {
  #kept = Buffer.alloc(0)

  write(frame: NewFrame): Buffer {
    const bytes = sizeOfFrame(frame.records)
    const room = this.#room(bytes)
    writeFrame(frame, room)
    return room.subarray(0, bytes)
  }

  #room(bytes: number): Buffer {
    if (bytes > maxKeptBytes) return Buffer.allocUnsafeSlow(bytes)
    if (bytes > this.#kept.length) this.#kept = Buffer.allocUnsafeSlow(Math.min(2 * bytes, maxKeptBytes))
    return this.#kept
  }
}

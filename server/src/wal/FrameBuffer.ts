import { type NewFrame, sizeOfFrame, writeFrame } from './segment.js'

/** What is kept; a larger frame gets memory of its own. */
const maxKeptBytes = 2 ** 22

/** Where frames are put together, one at a time: each lasts until the next one. */
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

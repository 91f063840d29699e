import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** A longer write has held up everything else for too long. */
const slowMs = 10
/** After a slow write another thread writes for this many times as long, so a slow disk holds this one up for a twentieth. */
const asideTimes = 20

/**
 * Writes in this thread while the disk is quick. A write of 0.2 ms by another thread takes 1 to 2 ms of a busy process,
 * because news of it queues behind requests: with 64 connections on two processors 61 % of a bare handler's requests came
 * through instead of 72 %.
 */
export class DiskWriter {
  #asideUntilMs = 0

  /** Resolves with how many bytes the disk took. */
  async write(handle: FileHandle, bytes: Buffer, at: number): Promise<number> {
    const beganMs = performance.now()
    const isAside = beganMs < this.#asideUntilMs
    try {
      if (isAside) return (await handle.write(bytes, 0, bytes.length, at)).bytesWritten
      return writeSync(handle.fd, bytes, 0, bytes.length, at)
    } finally {
      const tookMs = performance.now() - beganMs
      if (!isAside && tookMs > slowMs) this.#asideUntilMs = beganMs + tookMs + asideTimes * tookMs
    }
  }
}

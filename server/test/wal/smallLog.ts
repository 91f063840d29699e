import { readdirSync } from 'node:fs'
import { LogReader } from '../../src/wal/LogReader.js'
import type { LogRecord } from '../../src/wal/segment.js'

/** Segments of a few hundred bytes, so that a few rows fill several. */
export const tiny = { smallest: 250, largest: 400 }
export const record = (body: string, count = 1): LogRecord => ({
  kind: 'track',
  count,
  receivedAtMs: 5,
  body: Buffer.from(body),
})
export const readAll = async (folder: string, through: number, after = 0) => {
  const reader = new LogReader(folder, () => through)
  try {
    return await reader.read(after, Infinity, Infinity)
  } finally {
    await reader.close()
  }
}
export const bodies = async (folder: string, through: number, after = 0) =>
  (await readAll(folder, through, after)).map(({ body }) => body.toString())
export const files = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.wal'))

import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, read } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

/** What a copied file must be like. */
export interface FileSum {
  bytes: number
  sha256: string
}

/** Writes a new file to the disk, with its folder; gives the number of its bytes and their SHA-256. */
export const writeHashed = async (path: string, source: AsyncIterable<Buffer>): Promise<FileSum> => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let bytes = 0
  const hashed = async function* () {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  await pipeline(hashed(), createWriteStream(path, { mode: 0o600, flush: true }))
  return { bytes, sha256: hash.digest('hex') }
}

const chunkBytes = 2 ** 20
const readAt = promisify(read)

/**
 * Reads an open file up to a size: bytes that are added later are left out. The file stays open, also when its reader
 * stops early; a stream of Node's would close it.
 */
export const readPart = async function* (file: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const length = Math.min(chunkBytes, size - at)
    const { bytesRead, buffer } = await readAt(file, Buffer.allocUnsafe(length), 0, length, at)
    if (bytesRead === 0) throw new Error('the file is cut off')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

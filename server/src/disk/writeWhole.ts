import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  createWriteStream,
  mkdirSync,
  read,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

/** A file's name is on the disk only once its folder is synced. Windows cannot open folders, and need not. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

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

const syncFolderNow = (folder: string): void => {
  let descriptor: number
  try {
    descriptor = openSync(folder, 'r')
  } catch {
    // Windows cannot open folders, and need not.
    return
  }
  try {
    fsyncSync(descriptor)
  } catch {
    // Some network file systems cannot sync a folder.
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Writes a small file so that a kill or a power cut leaves either the whole old file or the whole new one. When
 * it throws, as on a full disk, the old file is unchanged and no half-written file is left.
 */
export const writeWhole = (file: string, content: string | Uint8Array): void => {
  const unfinished = `${file}.new`
  try {
    writeFileSync(unfinished, content, { flush: true, mode: 0o600 })
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  syncFolderNow(dirname(file))
}

/**
 * Renames a complete file to its final name, and returns once the file and its name are on the disk.
 *
 * @param levels how many folders upwards may be new and are synced too; 1 is the file's own folder
 */
export const putInPlace = async (unfinished: string, file: string, levels = 1): Promise<void> => {
  const handle = await open(unfinished, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(unfinished, file)
  for (let at = dirname(file), left = levels; left > 0; at = dirname(at), left--) await syncFolder(at)
}

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from './syncFolder.js'

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

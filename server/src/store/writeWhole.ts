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
 * Writes a small file so that a kill or a power cut leaves the whole old one or the whole new one. When it
 * throws (a full disk), the old file is as it was and nothing half-written is left.
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
 * Gives a file that is written completely its name, and returns when both are on the disk.
 *
 * @param levels how many folders upwards may be new and are synced as well; 1 is the file's own
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

import { open } from 'node:fs/promises'

/** A file's name is on the disk only once its folder is synced. Windows cannot open folders, and need not. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

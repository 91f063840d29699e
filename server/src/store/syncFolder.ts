import { open } from 'node:fs/promises'

/** A file name is on disk only once its folder is; Windows cannot open folders, and needs not. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

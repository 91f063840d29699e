import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buildPreload } from '../fixtures/buildPreload.js'
import type { Owner } from './findPostgres.js'

/** The library that notes what is synced, made in a folder that its user can read. */
export const buildKeepSynced = (folder: string): Promise<string> =>
  buildPreload(new URL('keepSynced.c', import.meta.url), folder)

/** The environment of a server whose synced content is kept in a folder. */
export const keepSyncedIn = (
  folder: string,
  { library, owner }: { library: string; owner: Owner | undefined },
) => {
  mkdirSync(folder)
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return { LD_PRELOAD: library, KEEP_SYNCED_IN: folder }
}

/**
 * Makes of a data folder what a disk would hold after the power has gone: each file gets the content that
 * was synced last, or none. Names are as they were (file systems keep these in order), and the files at
 * the top are settings, which the test wrote.
 */
export const dropUnsynced = (dataFolder: string, env: Record<string, string>): number => {
  const kept = env['KEEP_SYNCED_IN'] ?? ''
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  let changed = 0
  const copies = new Set(readdirSync(kept))
  for (const { parentPath, name } of files) {
    if (parentPath === dataFolder) continue
    const path = join(parentPath, name)
    const { ino, birthtimeNs } = statSync(path, { bigint: true })
    const copy = `${ino}-${birthtimeNs}`
    if (!copies.has(copy)) truncateSync(path)
    else {
      const synced = readFileSync(join(kept, copy))
      if (synced.equals(readFileSync(path))) continue
      writeFileSync(path, synced)
    }
    changed++
  }
  return changed
}

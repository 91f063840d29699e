import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes one folder after the other: under a parent like /proc, which takes no folder, Node's recursive `mkdir` never ends. */
export const makeFolders = (path: string): void => {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  for (const folder of missing.toReversed()) mkdirSync(folder, { mode: 0o700 })
}

import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Step by step: where a parent cannot hold a folder, as in /proc, Node's recursive way never ends. */
export const makeFolders = (path: string): void => {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  for (const folder of missing.toReversed()) mkdirSync(folder, { mode: 0o700 })
}

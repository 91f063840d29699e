import { mkdirSync, realpathSync } from 'node:fs'
import { StoreProblem } from './StoreProblem.js'

const claimed = new Set<string>()

export interface Claim {
  folder: string
  release(): void
}

/**
 * Makes the data folder and claims it within this process. Between processes DuckDB's own file
 * lock decides; within one it would open the same file twice without a word.
 */
export const claimFolder = (path: string): Claim => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreProblem(`The data folder ${path} cannot be used: ${reason}.`)
  }
  const folder = realpathSync(path)
  if (claimed.has(folder)) {
    throw new StoreProblem(
      `The data folder ${path} is in use by another waymark-server; stop it, or choose another folder by --data.`,
    )
  }
  claimed.add(folder)
  return { folder, release: () => void claimed.delete(folder) }
}

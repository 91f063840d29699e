import type { Limits } from '../link/ownLimits.js'
import type { Staged, ToStage } from './openFile.js'

/** What the process that reads a file is told. */
export interface ToImport extends ToStage, Limits {
  /** The file of DuckDB's that the rows go into. */
  stage: string
  memoryLimit: string
  threads: number
}

/** What it answers. */
export type FromImporter =
  | { kind: 'staged'; staged: Staged }
  | { kind: 'refused'; status: number; code: string; message: string; headers: Record<string, string> }
  | { kind: 'failed'; reason: string }

/** The table of the rows in the file of the stage. */
export const stagedTable = (catalog: string): string => `${catalog}.main.staged`

/** The path of the second copy of a spooled file, if one is made. */
export const quotedCopy = (file: string): string => `${file}_quoted`
/** The folder of what DuckDB puts aside while it reads a spooled file. */
export const spillFolder = (file: string): string => `${file}_spill`

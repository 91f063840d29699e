import type { Limits } from '../../link/limitSelf.js'
import type { Dialect } from './readDialect.js'

/** What the process that translates is told. */
export interface ToTranslate extends Limits {
  statement: string
  dialect: Dialect
}

/** What a statement becomes in DuckDB's SQL, or why it cannot be read and where. Lines and columns count from 1. */
export type Translation = { statement: string } | { problem: string; line: number; column: number }

/** What it answers. */
export type FromTranslator =
  | { kind: 'translated'; translation: Translation }
  /** The transpiler broke. Its memory may be in any state, so the process must end. */
  | { kind: 'broken' }

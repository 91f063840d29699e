import type { Dialect } from './readDialect.js'

/** What the process that translates is told. */
export interface ToTranslate {
  statement: string
  dialect: Dialect
  longestMs: number
  mostBytes: number
}

/** What a statement becomes in DuckDB's SQL, or why it cannot be read and where. Lines and columns count from 1. */
export type Translation = { statement: string } | { problem: string; line: number; column: number }

/** What it answers. */
export type FromTranslator =
  | { kind: 'ready' }
  | { kind: 'translated'; translation: Translation }
  /** The transpiler broke. Its memory may be in any state, so the process must end. */
  | { kind: 'broken' }

/** The exit codes when a statement takes too long, or too much memory. */
export const tooLongCode = 3
export const tooLargeCode = 4

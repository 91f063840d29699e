import { shorten } from '../../http/HttpError.js'
import { refuseField } from '../refuse.js'
import type { Limits } from '../../link/ownLimits.js'
import { type Dialect, dialectNames, isDialect } from './dialects.js'

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

const otherNames: Readonly<Record<string, Dialect>> = { postgres: 'postgresql' }

/** The dialect that a request names; undefined for DuckDB's own. Throws for one that is not known. */
export const readDialect = (given: string | null | undefined): Dialect | undefined => {
  const name = given?.toLowerCase() ?? 'duckdb'
  if (name === 'duckdb') return undefined
  const found = Object.hasOwn(otherNames, name) ? otherNames[name]! : name
  if (isDialect(found)) return found
  const known = ['duckdb', ...dialectNames].join(', ')
  throw refuseField(`The dialect ${shorten(given!, 40)} is not known. There are: ${known}.`)
}

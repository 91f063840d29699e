import type { Dialect } from '../../../src/sql/dialects/readDialect.js'

/** A statement in a dialect, and one in DuckDB's SQL that must give the same rows. */
type Same = readonly [theirs: string, ours: string]

/** What comes in the place of the same rows: a part of the error, or `other rows`. */
type Fails = readonly [theirs: string, ours: string, becomes: string]

export type Table = Partial<Record<Dialect, { same: readonly Same[]; fails: readonly Fails[] }>>

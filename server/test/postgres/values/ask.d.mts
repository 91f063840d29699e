import type pg from 'pg'

export interface Asked {
  names: string[]
  types: number[]
  row: (string | null)[]
  /** How many rows there are. */
  count: number
  hex: (string | null)[]
  error: string
  /** Where in the statement the error is, in characters from 1. */
  position: string
}

export function askText(client: pg.Client, sql: string, values?: unknown[]): Promise<Partial<Asked>>
export function askBinary(client: pg.Client, sql: string, values: unknown[]): Promise<Partial<Asked>>

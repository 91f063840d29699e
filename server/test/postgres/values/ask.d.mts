import type pg from 'pg'

export interface Asked {
  types: number[]
  row: (string | null)[]
  hex: (string | null)[]
  error: string
}

export function askText(client: pg.Client, sql: string, values?: unknown[]): Promise<Partial<Asked>>
export function askBinary(client: pg.Client, sql: string, values: unknown[]): Promise<Partial<Asked>>

import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { useService } from '../../fixtures/useService.js'
import type { Asked } from './ask.mjs'

/** A statement, and what PostgreSQL 15 answers to it, as `record.mjs` has written it down. */
export interface Case extends Omit<Asked, 'error' | 'position'> {
  sql: string
  values: (string | null)[]
  /** The code of the error, where it is one. */
  error?: string
  position?: string
}

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8').trim()
export const readCases = (name: string): Case[] =>
  read(name)
    .split('\n')
    .map((line) => JSON.parse(line) as Case)

/** A client of a service that has the table that the statements ask for. */
export const useSample = (): { client: pg.Client } => {
  const service = useService({ postgresPort: 0 })
  const opened = {} as { client: pg.Client }
  beforeAll(async () => {
    for (const statement of read('sample.sql').split(';\n')) await service.query(statement)
    const known = { user: 'ada', password: 'lovelace', database: 'lakehouse' }
    opened.client = new pg.Client({ host: '127.0.0.1', port: service.postgresPort, ...known })
    await opened.client.connect()
  })
  afterAll(() => opened.client.end())
  return opened
}

/** A number without the zeros at its end, of which DuckDB has others. */
export const trim = (text: string | null): string | null =>
  text !== null && /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text

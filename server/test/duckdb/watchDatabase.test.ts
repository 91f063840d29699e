import { expect, it } from 'vitest'
import { type Database, watchDatabase } from '../../src/duckdb/Database.js'
import { eventually } from '../fixtures/eventually.js'

/** What DuckDB 1.5 says after a checkpoint that failed. */
const givenUp =
  'IO Error: Database "lakehouse" has been invalidated because checkpointing failed. Detach and reattach it before using it again.'

const watch = async (failure: () => Error | undefined) => {
  const statements: string[] = []
  const lost: string[] = []
  const run = (statement: string) => {
    statements.push(statement)
    const error = failure()
    return error === undefined ? Promise.resolve() : Promise.reject(error)
  }
  const connection = { run, closeSync: () => statements.push('closed') }
  const database = { connect: () => Promise.resolve(connection) } as unknown as Database
  const tables = ['a.raw.position', '"b".x.position']
  const watching = await watchDatabase(database, tables, (reason) => lost.push(reason))
  return { watching, statements, lost }
}

it('asks all catalogs at once, and tells once that one was given up', async () => {
  const { watching, statements, lost } = await watch(() => new Error(givenUp))
  watching.look()
  await eventually(() => expect(lost).toEqual([givenUp]))
  watching.look()
  await watching.stop()
  expect(lost).toEqual([givenUp])
  expect(statements[0]).toBe(
    'SELECT count(*) FROM a.raw.position UNION ALL SELECT count(*) FROM "b".x.position',
  )
  expect(statements.at(-1)).toBe('closed')
})

it('takes no other error for that', async () => {
  const errors = [
    new Error('Out of Memory Error: failed to allocate'),
    new Error('INTERRUPT Error: Interrupted!'),
    new Error('Invalid Input Error: it has been invalidated'),
  ]
  const { watching, lost } = await watch(() => errors.shift())
  for (let n = 0; n < 4; n++) {
    watching.look()
    await new Promise(setImmediate)
  }
  await watching.stop()
  expect(lost).toEqual([])
})

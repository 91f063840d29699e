// DuckDB's own SQL, by statements of our own for each of its areas: duckdb/*.sql, one a line, in order.
import { readdirSync, readFileSync } from 'node:fs'
import { compareAnswers } from './compareAnswers.mjs'
import { openAlone } from './duckdbAlone.mjs'

const folder = new URL('./duckdb/', import.meta.url)

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run({ ask }) {
  const cases = new Map()
  const alone = await openAlone()
  for (const file of readdirSync(folder).sort())
    for (const statement of readFileSync(new URL(file, folder), 'utf8').split('\n').filter(Boolean)) {
      const wanted = await alone.ask(statement)
      cases.set(statement, compareAnswers(statement, wanted, await ask(statement)))
    }
  alone.close()
  return cases
}

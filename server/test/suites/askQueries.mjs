// A bench's queries on rows of our own, asked of DuckDB alone and of the service, which has the rows from Parquet files.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareAnswers } from './compareAnswers.mjs'
import { openAlone } from './duckdbAlone.mjs'

/** @typedef {import('../../../scripts/test/suites.mjs').Started} Started */

/** @param {string} name of the folder @param {Started} service */
export async function askQueries(name, { ask, post, work }) {
  const read = (/** @type {string} */ file) =>
    readFileSync(new URL(`./${name}/${file}`, import.meta.url), 'utf8')
      .split('\n')
      .filter(Boolean)
  /** @type {Map<string, string>} */
  const cases = new Map()
  const alone = await openAlone()
  for (const statement of read('tables.sql')) {
    const table = /CREATE TABLE (\w+)/.exec(statement)?.[1] ?? ''
    const file = join(work, `${table}.parquet`)
    for (const each of [statement, `COPY ${table} TO '${file}'`]) {
      const made = await alone.ask(each)
      if ('error' in made) throw new Error(`${table}: ${made.error}`)
    }
    const query = `/upload?catalog=lakehouse&schema=${name}&table=${table}&mode=create`
    await ask(`CREATE SCHEMA IF NOT EXISTS ${name}`)
    const { status, text } = await post(query, readFileSync(file), 'application/vnd.apache.parquet')
    cases.set(`upload of ${table}`, status === 200 ? '' : text)
  }
  await ask(`USE lakehouse.${name}`)
  for (const [i, statement] of read('queries.sql').entries()) {
    const wanted = await alone.ask(statement)
    const isEmpty = 'error' in wanted || (wanted.rows.length === 0 && !/= 435090932899640449/.test(statement))
    const problem = compareAnswers(statement, wanted, await ask(statement))
    cases.set(`query ${i + 1}`, isEmpty ? `says nothing: ${JSON.stringify(wanted)}` : problem)
  }
  await ask('USE lakehouse.main')
  alone.close()
  return cases
}
